/**
 * Runs a command with loopback as its only network, in a separate namespace if the system allows that. Otherwise the
 * command runs nevertheless, and sandboxes give agents proxies that lead nowhere.
 */

import { spawn, spawnSync } from "node:child_process";
import { NETWORK_VARIABLE } from "./sandbox.ts";

/** Root can make a namespace directly; any other user first becomes root of a user namespace. */
const UNSHARE: readonly (readonly string[])[] = [["--net"], ["--user", "--map-root-user", "--net"]];
const WITH_LOOPBACK = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"];

/** Runs a command to its end on the terminal of this process, and returns its exit code. */
export async function runWithLoopbackOnly(command: readonly string[], cwd: string): Promise<number> {
  const prefix = namespacePrefix();
  if (prefix === null) {
    process.stderr.write("agents: cannot create a network namespace; agents get proxies that lead nowhere\n");
  }
  const [program = "", ...args] = [...(prefix ?? []), ...command];
  const env = { ...process.env, [NETWORK_VARIABLE]: prefix === null ? "proxies" : "loopback" };
  const child = spawn(program, args, { cwd, stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((done, failed) => {
    child.once("error", failed).once("close", (code) => done(code ?? 1));
  });
}

/** Returns the words before a command that limit it to loopback, or `null` if the system does not allow that. */
function namespacePrefix(): readonly string[] | null {
  for (const flags of UNSHARE) {
    const prefix = ["unshare", ...flags, "--", ...WITH_LOOPBACK];
    const [program = "", ...args] = [...prefix, "true"];
    if (spawnSync(program, args, { stdio: "ignore" }).status === 0) return prefix;
  }
  return null;
}
