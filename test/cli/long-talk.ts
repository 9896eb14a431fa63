/** Runs a long conversation in `continuo repl` over a pipe, and measures the memory of the process. */

import { spawn } from "node:child_process";
import { once } from "node:events";

export interface LongTalk {
  /** The program and its arguments before `repl`. */
  readonly main: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Flags of Node, before the program. */
  readonly flags?: readonly string[];
  /** The numbers of turns after which the memory is measured, in ascending order. */
  readonly looks: readonly number[];
  /** The words of each turn, after its number; the agent repeats them. */
  readonly words: string;
}

export interface TalkMemory {
  readonly turns: number;
  /** The used heap after a garbage collection. */
  readonly heapBytes: number;
  readonly residentBytes: number;
}

const LOOK = `data:text/javascript,${encodeURIComponent(`
  process.on("message", () => {
    for (let time = 0; time < 3; time++) gc();
    const { heapUsed, rss } = process.memoryUsage();
    process.send({ heapBytes: heapUsed, residentBytes: rss });
  });
  process.channel.unref();
`)}`;

/** The end of a turn, with its duration. */
const ENDED = /^· [\d.]+ (?:s|ms)\b/mu;

export async function talkLong({
  main,
  cwd,
  env,
  flags = [],
  looks,
  words,
}: LongTalk): Promise<TalkMemory[]> {
  const argv = [...flags, "--expose-gc", "--import", LOOK, main, "repl"];
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ["pipe", "pipe", "pipe", "ipc"] });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error("there are no pipes");
  let [said, complaints] = ["", ""];
  let wake = (): void => undefined;
  stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    wake();
  });
  stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  child.once("close", () => wake());
  const turn = async (at: number): Promise<void> => {
    said = "";
    // A line that begins with a space is not stored in the history.
    stdin.write(` question ${at} ${words}\n`);
    while (!ENDED.test(said.split(`question ${at} `)[1] ?? "")) {
      if (child.exitCode !== null) throw new Error(`the repl ended: ${complaints}`);
      await new Promise<void>((done) => {
        wake = done;
      });
    }
  };
  const held: TalkMemory[] = [];
  for (let at = 1; at <= (looks.at(-1) ?? 0); at++) {
    await turn(at);
    if (!looks.includes(at)) continue;
    child.send("look");
    const [seen] = (await once(child, "message")) as [Omit<TalkMemory, "turns">];
    held.push({ turns: at, ...seen });
  }
  stdin.end();
  if (child.exitCode === null) await once(child, "close");
  return held;
}
