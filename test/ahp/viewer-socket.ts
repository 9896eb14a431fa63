/** `continuo view` or `continuo serve` as a process, with its socket for editors. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanEnv, MAIN } from "../cli/home.ts";

export interface ViewerSocket extends AsyncDisposable {
  readonly socket: string;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
}

export function startViewer(home: string, cwd: string): Promise<ViewerSocket> {
  return startHost(home, cwd, ["view", "--no-open", "--port", "0"]);
}

export function startServer(home: string, cwd: string): Promise<ViewerSocket> {
  return startHost(home, cwd, ["serve", "--listen", "127.0.0.1:0"]);
}

async function startHost(home: string, cwd: string, args: readonly string[]): Promise<ViewerSocket> {
  const viewer = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: cleanEnv(home),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const closed = new Promise<void>((resolve) => viewer.once("close", () => resolve()));
  const printed = new Promise<void>((resolve) => viewer.stdout.once("data", () => resolve()));
  await Promise.race([printed, closed]);
  const socket = join(home, ".continuo/viewer/vscode");
  for (let tries = 0; !existsSync(socket); tries++) {
    if (tries === 200) throw new Error("the viewer has no socket for editors");
    await sleep(50);
  }
  const kill = async (): Promise<void> => {
    viewer.kill("SIGKILL");
    await closed;
  };
  return { socket, kill, [Symbol.asyncDispose]: kill };
}
