/**
 * The system calls of a process that change files, with their data, from the output of `strace -f -xx -s BYTES -o
 * FILE`. A call of another thread may divide a call into two lines.
 */

export interface SystemCall {
  readonly name: string;
  /** The text between the parentheses; strings are hexadecimal. */
  readonly args: string;
  readonly result: number;
  /** Two lines of the trace, between which the call took effect. */
  readonly begin: number;
  readonly end: number;
}

/** Every call that changes a file or makes a change durable. */
export const CALLS: string = [
  ...["open", "openat", "creat", "close", "dup", "dup2", "dup3"],
  ...["write", "pwrite64", "writev", "pwritev", "pwritev2", "truncate", "ftruncate", "fallocate"],
  ...["fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "copy_file_range", "sendfile"],
  ...["rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat"],
  ...["unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "io_uring_enter"],
].join(",");

const WHOLE = /^(\d+) +(\w+)\((.*)\) += (-?\d+)/s;
const BEGINNING = /^(\d+) +(\w+)\((.*?) *<unfinished \.\.\.>$/s;
const ENDING = /^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+)/s;

/**
 * Returns the calls in the order in which they ended. `close` is placed at its beginning, because another thread can
 * receive the same file number before that call has ended.
 */
export function parseTrace(text: string): readonly SystemCall[] {
  const calls: SystemCall[] = [];
  const unfinished = new Map<string, { readonly args: string; readonly begin: number }>();
  for (const [line, content] of text.split("\n").entries()) {
    const whole = WHOLE.exec(content);
    if (whole !== null) {
      const [, , name = "", args = "", result] = whole;
      calls.push({ name, args, result: Number(result), begin: line, end: line });
      continue;
    }
    const beginning = BEGINNING.exec(content);
    if (beginning !== null) {
      unfinished.set(beginning[1] ?? "", { args: beginning[3] ?? "", begin: line });
      continue;
    }
    const ending = ENDING.exec(content);
    if (ending === null) continue;
    const [, thread = "", name = "", rest = "", result] = ending;
    const begun = unfinished.get(thread);
    if (begun === undefined) throw new Error(`line ${line} of the trace ends a call that never began`);
    unfinished.delete(thread);
    calls.push({ name, args: begun.args + rest, result: Number(result), begin: begun.begin, end: line });
  }
  const placeOf = ({ name, begin, end }: SystemCall): number => (name === "close" ? begin : end);
  return calls.sort((one, other) => placeOf(one) - placeOf(other));
}

const HEX = /"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/g;

/** The strings among the arguments, in their order. */
export function stringsOf({ name, args }: SystemCall): readonly Buffer[] {
  return [...args.matchAll(HEX)].map(([, hex = "", cut]) => {
    if (cut !== undefined) throw new Error(`the data of a ${name} is cut in the trace`);
    return Buffer.from(hex.replaceAll("\\x", ""), "hex");
  });
}

/** The arguments with every string replaced by `S`. */
export function plainArgs({ args }: SystemCall): readonly string[] {
  return args
    .replaceAll(HEX, "S")
    .split(",")
    .map((arg) => arg.trim());
}
