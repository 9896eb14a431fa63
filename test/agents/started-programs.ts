/** Programs that Continuo started in a sandbox, which are read from Linux's list of processes. */

import { readdirSync, readFileSync } from "node:fs";
import { isRunning } from "../left-behind/processes.ts";
import type { Sandbox } from "./sandbox.ts";

export function pids(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter(isRunning);
}

/** Returns an empty text if the file cannot be read, because the process has ended. */
export function told(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

/** Returns the programs that Continuo started in this sandbox, and their children. */
export function startedIn({ root }: Sandbox): readonly number[] {
  return pids().filter((one) => {
    const environment = told(() => readFileSync(`/proc/${one}/environ`, "utf8"));
    return environment.includes("CONTINUO_STARTED=") && environment.includes(root);
  });
}
