/** The file of the security log. It is opened for each write, so that the system may move it away at any time. */

import { appendFile } from "node:fs/promises";
import type { Shell } from "../terminal/index.ts";

/** Lines that wait for the disk; more of them are dropped, and counted. */
const MAX_WAITING = 1_000;

export interface SecurityFile extends AsyncDisposable {
  readonly write: (line: string) => void;
}

/** @param file `-` is the standard error of the command */
export function openSecurityFile(file: string, { stderr }: Pick<Shell, "stderr">): SecurityFile {
  if (file === "-") {
    const write = (line: string): void => void stderr.write(`${line}\n`);
    return { write, [Symbol.asyncDispose]: async () => undefined };
  }
  let waiting: string[] = [];
  let dropped = 0;
  let hasFailed = false;
  let writing: Promise<void> | null = null;
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      if (dropped > 0) lines.push(JSON.stringify({ event: "lines_dropped", count: dropped }));
      dropped = 0;
      try {
        await appendFile(file, `${lines.join("\n")}\n`, { mode: 0o600 });
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) stderr.write(`warning: cannot write the security log: ${String(error)}\n`);
        hasFailed = true;
      }
    }
    writing = null;
  };
  return {
    write: (line) => {
      if (waiting.length >= MAX_WAITING) dropped++;
      else waiting.push(line);
      writing ??= writeAll();
    },
    [Symbol.asyncDispose]: async () => {
      await writing;
    },
  };
}
