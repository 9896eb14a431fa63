/** `guard on` and `guard off`. */

import { present } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import { changeGuardSettings } from "@continuo/native/editing/guard";
import { createOutput, type Shell, toJsonText } from "../terminal/index.ts";
import type { JsonFlag, OnFlags } from "./flags.ts";
import { runNow } from "./quiet-run.ts";
import { drawRun } from "./run-guard.ts";
import { installTimer, removeTimer } from "./timer.ts";

const WAIT_MS = 60_000;

/** Errors: `busy`, `unwritable`, `corrupt` for settings that cannot be read. */
export async function runOn({ maxSize, maxAge, timer = true, json }: OnFlags, shell: Shell): Promise<number> {
  const maxAgeDays = maxAge === "never" ? null : maxAge;
  const settings = changeGuardSettings(placesOf(shell), {
    on: true,
    ...present({ maxBytes: maxSize, maxAgeDays }),
  });
  const run = await runNow(shell, WAIT_MS);
  const installed = timer ? installTimer(shell) : null;
  const output = createOutput(shell.stdout);
  if (json) {
    await output.write(`${toJsonText({ ...settings, run, timer: installed }, 2)}\n`);
    return 0;
  }
  const kept = "Copies are also made while `continuo serve`, `view` or `mcp` runs, and after lists.";
  await output.write(
    `The guard is on.\n${drawRun(run)}${installed === null ? "" : `${installed.message}\n`}${kept}\n`,
  );
  return 0;
}

/** Errors: `unwritable`, `corrupt`. */
export async function runOff({ json }: JsonFlag, shell: Shell): Promise<number> {
  const settings = changeGuardSettings(placesOf(shell), { on: false });
  const removed = removeTimer(shell);
  const text = `The guard is off: no more copies are made, and those that are there stay.\n${removed === null ? "" : `${removed.message}\n`}`;
  await createOutput(shell.stdout).write(json ? `${toJsonText({ ...settings, timer: removed }, 2)}\n` : text);
  return 0;
}
