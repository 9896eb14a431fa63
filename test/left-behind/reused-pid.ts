/**
 * A process dies whose guardian must not kill a group that no longer exists, because another program has its number:
 * the first process of a PID namespace may choose numbers. Prints both numbers.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { startGuardian } from "@continuo/agents/drivers/process";

async function leader(): Promise<ChildProcess> {
  const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
  await once(child, "spawn");
  return child;
}

const first = await leader();
startGuardian({ pid: first.pid, mark: "nobody-has-it", searchPath: process.env.PATH });
first.kill("SIGKILL");
await once(first, "exit");
// The system reports the start in hundredths of a second.
await sleep(50);
writeFileSync("/proc/sys/kernel/ns_last_pid", String((first.pid ?? 0) - 1));
const second = await leader();
process.stdout.write(`${first.pid} ${second.pid}\n`, () => process.kill(process.pid, "SIGKILL"));
