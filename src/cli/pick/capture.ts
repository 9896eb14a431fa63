/** Runs a command inside of the picker: its output is kept, because it would otherwise be written into the screen. */

import { Writable } from "node:stream";
import type { Shell } from "../terminal/index.ts";

export interface CommandOutput {
  readonly code: number;
  /** Its standard output. */
  readonly text: string;
}

/** Errors: those of the work. */
export async function capture(shell: Shell, work: (quiet: Shell) => Promise<number>): Promise<CommandOutput> {
  const out = collector();
  const { stdin, home, cwd } = shell;
  const env = { ...shell.env, NO_COLOR: "1" };
  const quiet: Shell = {
    stdin,
    stdout: out.stream,
    stderr: collector().stream,
    env,
    home,
    cwd,
    now: new Date(),
    holdInterrupts: (onInterrupt) => shell.holdInterrupts(onInterrupt),
    holdTermination: (onTermination) => shell.holdTermination(onTermination),
    onExit: (cleanUp) => shell.onExit(cleanUp),
  };
  return { code: await work(quiet), text: out.text() };
}

/** A stream that is not a terminal. */
function collector(): { readonly stream: NodeJS.WriteStream; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => Buffer.concat(chunks).toString() };
}
