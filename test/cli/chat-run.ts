/** Runs `continuo chat` for the tests of it. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { cleanEnv, MAIN, type Run } from "./home.ts";
import type { TalkHome } from "./talk.ts";

export interface ChatOptions {
  /** The text for standard input; with `null` it stays open, and nothing is written. */
  readonly stdin?: string | null;
}

/** Runs `continuo chat` as a process in the project of the home. */
export async function runChat(
  home: TalkHome,
  args: readonly string[],
  { stdin = "" }: ChatOptions = {},
): Promise<Run> {
  const child = spawn(process.execPath, [MAIN, "chat", ...args], {
    cwd: join(home.path, "project"),
    env: cleanEnv(home.path),
    stdio: ["pipe", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => undefined);
  if (stdin !== null) child.stdin.end(stdin);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on("close", resolve);
  return { code: await promise, stdout, stderr };
}

/** Returns the id of the session that a run names. */
export function idIn(text: string): string {
  return /session ([0-9a-f-]{36})/u.exec(text)?.[1] ?? "no session was told";
}
