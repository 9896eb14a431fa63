import { PassThrough } from "node:stream";
import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Shell } from "../terminal/index.ts";
import { completionsOf, createCompleter } from "./completer.ts";
import type { Input } from "./input.ts";
import { openKeyboard } from "./keyboard.ts";
import { REPL_LIMITS } from "./limits.ts";

const NAMES = {
  agents: () => ["other"],
  commands: () => [],
  sessions: async () => [],
  paths: async () => [],
};

function keyboard(added: string[] = []) {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  const stdout = Object.assign(new PassThrough(), { columns: 80 });
  const onExit = (): Disposable => ({ [Symbol.dispose]: () => undefined });
  const shell = { stdin, stdout, onExit } as unknown as Shell;
  const history = { entries: [], add: (line: string) => void added.push(line) };
  const input = openKeyboard({ shell, history, complete: createCompleter(NAMES) } as never);
  if (input.nextKey === undefined) throw new Error("a keyboard has keys");
  return {
    input,
    nextKey: input.nextKey,
    stdin,
    stdout,
    onKey: () => new Promise((seen) => stdin.once("data", seen)),
  };
}

/** Counts the interrupts that a turn receives. */
function listenTo(input: Input): Disposable & { interrupts(): number } {
  let interrupts = 0;
  const listening = input.listen({
    onInterrupt: () => {
      interrupts += 1;
    },
  });
  return { interrupts: () => interrupts, [Symbol.dispose]: () => listening[Symbol.dispose]() };
}

/** The typed text is the same, except for pasted parts. */
const lineOf = (text: string) => ({ type: "line", text, typed: expect.any(String) });

test("a question that appears in the middle of a line is not answered by the next letters, but by a key after a pause", async () => {
  const { input, nextKey, stdin, onKey } = keyboard();
  using _closed = input;
  const begun = onKey();
  stdin.write("wh");
  await begun;
  const key = nextKey(new AbortController().signal);
  // The key `a` would allow the call permanently.
  stdin.write("a");
  expect(await Promise.race([key, sleep(50, "nothing")])).toBe("nothing");
  await sleep(REPL_LIMITS.typingMs + 50);
  await immediate();
  stdin.write("y");
  expect(await key).toBe("y");
  const line = input.read("> ");
  stdin.write("t now\r");
  expect(await line).toEqual(lineOf("what now"));
});

test("words that arrive in one piece, typed or pasted, are one answer; text after the end of their line is the next prompt", async () => {
  const { input, nextKey, stdin } = keyboard();
  using _closed = input;
  const { signal } = new AbortController();
  for (const [sent, read] of [
    ["use make", "use make"],
    ["\u001b[200~two\nlines\u001b[201~", "two lines"],
    ["日本語\rthen this\r", "日本語\r"],
  ] as const) {
    const reason = nextKey(signal, "text");
    stdin.write(sent);
    expect(await reason).toBe(read);
  }
  expect(await input.read("> ")).toEqual(lineOf("then this"));
});

test("a delay of this process does not count as a pause between keys", async () => {
  const { input, nextKey, stdin, onKey } = keyboard();
  using _closed = input;
  const begun = onKey();
  stdin.write("wh");
  await begun;
  const stop = new AbortController();
  const key = nextKey(stop.signal);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REPL_LIMITS.typingMs + 50);
  stdin.write("a");
  await immediate();
  stop.abort(new Error("nobody answered"));
  await expect(key).rejects.toThrow("nobody answered");
  const line = input.read("> ");
  stdin.write("t now\r");
  expect(await line).toEqual(lineOf("what now"));
});

test("a question can be answered at once if no line is being typed", async () => {
  const { input, nextKey, stdin, onKey } = keyboard();
  using _closed = input;
  const begun = onKey();
  stdin.write("done\r");
  await begun;
  const key = nextKey(new AbortController().signal);
  stdin.write("n");
  expect(await key).toBe("n");
});

test.each([
  // The key `y` would be one letter of it, and `a` the second letter of the mark that replaces a paste.
  ["a paste of one letter", "\u001b[200~y\u001b[201~", "y!"],
  ["a paste of several lines", "\u001b[200~one\ryes\u001b[201~", "one\nyes!"],
  ["words that come at once", "yes please", "yes please!"],
])("%s does not answer a question, but is part of the next line", async (_, typed, text) => {
  const { input, nextKey, stdin, onKey } = keyboard();
  using _closed = input;
  const stop = new AbortController();
  const key = nextKey(stop.signal);
  const pasted = onKey();
  stdin.write(typed);
  await pasted;
  stop.abort(new Error("nobody answered"));
  await expect(key).rejects.toThrow("nobody answered");
  const line = input.read("> ");
  stdin.write("!\r");
  expect(await line).toEqual(lineOf(text));
});

test("each Ctrl-C in a turn counts, even if several arrive at once; the typed lines are only offered, one by one", async () => {
  const { input, stdin, onKey } = keyboard();
  using _closed = input;
  const listening = listenTo(input);
  const typed = onKey();
  stdin.write("ahead\r\u0003more\u0003\u0003after\r");
  await typed;
  expect([listening.interrupts(), input.kept]).toEqual([3, ["ahead", "more"]]);
  listening[Symbol.dispose]();
  const first = input.read("> ");
  // Nothing is sent by itself: the first line is dropped, the second is sent with an addition, the third is sent
  // unchanged.
  stdin.write("\u0003 of it\r");
  expect(await first).toEqual(lineOf("more of it"));
  const last = input.read("> ");
  stdin.write("\r");
  expect(await last).toEqual(lineOf("after"));
  expect(input.kept).toEqual([]);
});

test("/cancel interrupts at any place in pasted input, and Ctrl-Z stops nothing afterwards", async () => {
  const { input, stdin, onKey } = keyboard();
  using _closed = input;
  const listening = listenTo(input);
  const typed = onKey();
  stdin.write("/cancel\rsec\u001aond\r/cancelled\r");
  await typed;
  expect(listening.interrupts()).toBe(1);
  listening[Symbol.dispose]();
  expect(await input.read("> ")).toEqual(lineOf("second"));
  expect(await input.read("> ")).toEqual(lineOf("/cancelled"));
});

test("input typed during a turn is reported as typed, and its lines are read one after another", async () => {
  const { input, stdin, onKey } = keyboard();
  using _closed = input;
  const told: unknown[] = [];
  const begun = input.read("> ");
  stdin.write("begin\rone\rtwo\rthr");
  await begun;
  const listening = input.listen({ onInterrupt: () => undefined, onTyped: (typed) => told.push(typed) });
  expect(told.at(-1)).toEqual({ waiting: ["one", "two"], text: "thr", cursor: 3 });
  const up = onKey();
  // The line is left, the last waiting one is edited, and put back.
  stdin.write("\u0015\u001b[A\u001b[D!\r");
  await up;
  expect(told.at(-1)).toEqual({ waiting: ["one", "tw!o"], text: "", cursor: 0 });
  listening[Symbol.dispose]();
  expect(await input.read("> ")).toEqual(lineOf("one"));
  expect(await input.read("> ")).toEqual(lineOf("tw!o"));
});

test("text that was typed and not sent is in the history after leaving", async () => {
  const added: string[] = [];
  const { input, stdin, onKey } = keyboard(added);
  const listening = listenTo(input);
  const typed = onKey();
  stdin.write("one\r\u0003two\rthree");
  await typed;
  listening[Symbol.dispose]();
  input[Symbol.dispose]();
  expect(added).toEqual(["one", "two", "three"]);
});

test("a second Ctrl-C during a question counts too", async () => {
  const { input, nextKey, stdin, onKey } = keyboard();
  using _closed = input;
  using listening = listenTo(input);
  const stop = new AbortController();
  const key = nextKey(stop.signal);
  const typed = onKey();
  stdin.write("\u0003\u0003");
  await typed;
  expect(listening.interrupts()).toBe(2);
  stop.abort(new Error("over"));
  await expect(key).rejects.toThrow("over");
});

test("between turns, the first Ctrl-C discards the typed text, and each further one is read", async () => {
  const { input, stdin } = keyboard();
  using _closed = input;
  const line = input.read("> ");
  stdin.write("begun\u0003\u0003\u0003after\r");
  expect(await line).toEqual({ type: "interrupt" });
  expect(await input.read("> ")).toEqual({ type: "interrupt" });
  expect(await input.read("> ")).toEqual(lineOf("after"));
});

test("text typed after Tab follows the completion, even if everything arrives at once", async () => {
  expect(await completionsOf("/ag", NAMES)).toEqual([["/agent "], "/ag"]);
  const { input, stdin } = keyboard();
  using _closed = input;
  for (const parts of [["/ag\toth\t\rsecond\rthird\r"], ["/ag\t", "oth\t\rsec", "ond\r", "third\r"]]) {
    const line = input.read("> ");
    for (const part of parts) stdin.write(part);
    expect(await line).toEqual(lineOf("/agent other"));
    expect(await input.read("> ")).toEqual(lineOf("second"));
    expect(await input.read("> ")).toEqual(lineOf("third"));
  }
});

test("several pasted lines become a mark in the typed text, and no file is read for it", async () => {
  const { input, stdin } = keyboard();
  using _closed = input;
  const line = input.read("> ");
  stdin.write("see @a: \u001b[200~@/etc/one\r@/etc/two\u001b[201~\r");
  expect(await line).toEqual({
    type: "line",
    text: "see @a: @/etc/one\n@/etc/two",
    typed: "see @a: [paste 1: 2 lines]",
  });
});

test("lines are printed above the line that is being typed, unless that line fills several rows", async () => {
  const { input, stdin, stdout, onKey } = keyboard();
  using _closed = input;
  expect(input.above?.(["nobody types"])).toBe(false);
  const line = input.read("> ");
  const half = onKey();
  stdin.write("half");
  await half;
  await immediate();
  stdout.read();
  expect(input.above?.(["❯ three", "● done", ""])).toBe(true);
  const printed = String(stdout.read());
  expect(printed.startsWith("\r\u001b[0J❯ three\r\n● done\r\n\r\n")).toBe(true);
  expect(printed).toMatch(/> half/u);
  const long = onKey();
  stdin.write(" of it".repeat(40));
  await long;
  await immediate();
  expect(input.above?.(["❯ four"])).toBe(false);
  stdin.write("\r");
  expect(await line).toEqual(lineOf(`half${" of it".repeat(40)}`));
});
