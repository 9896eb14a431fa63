/** A support desk in a process of its own, which a test asks and kills. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { bundledProgram } from "../../sizes/shared-programs.ts";

const USER = "ann";
/** The session of the user of `ask`. */
export const DESK_SESSION: string = `customer-${USER}`;

export interface StartedDesk extends AsyncDisposable {
  /** Sends a message, and resolves at the end of its answer. */
  ask(id: string, words: string): Promise<string>;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
}

/** Its arguments are the store, the models, and a file for refunds. */
export async function startDesk(
  args: readonly [url: string, models: string, refunds: string],
): Promise<StartedDesk> {
  const program = await bundledProgram("test/runtime/processes/desk.ts");
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await portOf(child);
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  const headers = { "x-user": USER, "content-type": "application/json" };
  return {
    async ask(id, words) {
      const body = JSON.stringify({ id, text: words });
      const response = await fetch(`http://127.0.0.1:${port}/chat`, { method: "POST", headers, body });
      return await response.text();
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

async function portOf(child: ChildProcess): Promise<string> {
  return await new Promise((resolve, reject) => {
    if (child.stdout === null) return reject(new Error("the desk has no output"));
    child.once("exit", (code) => reject(new Error(`the desk ended with ${code}`)));
    createInterface(child.stdout).on("line", (line) => {
      const found = /^port (\d+)$/u.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
}
