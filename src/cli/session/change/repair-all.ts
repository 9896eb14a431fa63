/** `session repair --all`: a plan for every damaged session, and, with --in-place, the repairs. */

import { ContinuoError, exitCodeOf, isContinuoError } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { type Places, placesOf } from "@continuo/files";
import { checkFoundSession, findNativeSessions, formatOf } from "@continuo/native";
import { repairNativeSession, type SessionRepair } from "@continuo/native/editing";
import type { FoundSession } from "@continuo/native/kit";
import {
  canAsk,
  confirm,
  createOutput,
  createProgress,
  errorToJson,
  formatCount,
  paintFor,
  plural,
  type Shell,
  screenOf,
  toJsonText,
} from "../../terminal/index.ts";
import { checkedProblemToJson, isDamaged } from "../list/index.ts";
import type { RepairFlags } from "./repair.ts";

const STILL_DAMAGED = 4;

/** One damaged session: the effect of a repair, or the reason why it cannot be repaired. */
interface Plan {
  readonly found: FoundSession;
  readonly repair: SessionRepair | null;
  readonly error: ContinuoError | null;
}

export async function runRepairAll(id: string | null, flags: RepairFlags, shell: Shell): Promise<number> {
  if (id !== null) throw new ContinuoError("usage", "--all repairs every session: leave the ID out");
  const places = placesOf(shell);
  const plans = await planAll(places, shell);
  const output = createOutput(shell.stdout);
  const todo = plans.filter(({ repair }) => repair !== null && repair.edits.length > 0);
  if (flags.inPlace && todo.length > 0) {
    if (!flags.json) await output.write(draw(plans, shell));
    await ask(todo, flags, shell);
  }
  const done = flags.inPlace ? await repairAll(plans, places) : plans;
  if (flags.json) await output.write(`${toJsonText(done.map(toJson), 2)}\n`);
  else if (!flags.inPlace || todo.length === 0) {
    await output.write(draw(done, shell) + endOf(todo.length));
  } else await output.write(`\n${draw(done, shell)}\n${repairedOf(done)}`);
  return exitCodeFor(done);
}

/** Finds every damaged session and the changes that a repair would make. Writes nothing. */
async function planAll(places: Places, shell: Shell): Promise<readonly Plan[]> {
  using progress = createProgress(shell);
  const plans: Plan[] = [];
  let checked = 0;
  for await (const found of findNativeSessions({ places })) {
    const check = await checkFoundSession({ reader: await formatOf(found.agent), found }, { places });
    checked += 1;
    progress.show(`checked ${formatCount(checked)} sessions`);
    if (isDamaged(check)) plans.push(await repairOf(found, places));
  }
  return plans;
}

async function repairOf(found: FoundSession, places: Places, write?: "in place"): Promise<Plan> {
  try {
    const options = write === undefined ? { places } : { places, write };
    return { found, repair: await repairNativeSession(found, options), error: null };
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return { found, repair: null, error };
  }
}

/** A refused repair does not stop the others. */
async function repairAll(plans: readonly Plan[], places: Places): Promise<readonly Plan[]> {
  const done: Plan[] = [];
  for (const plan of plans) {
    const isTodo = plan.repair !== null && plan.repair.edits.length > 0;
    done.push(isTodo ? await repairOf(plan.found, places, "in place") : plan);
  }
  return done;
}

/** Errors: `usage` if nobody can be asked, `interrupted` if the person answers no. */
async function ask(todo: readonly Plan[], flags: RepairFlags, shell: Shell): Promise<void> {
  if (flags.yes) return;
  const question = `repair ${plural(todo.length, "session")} in place`;
  if (!canAsk(shell)) {
    throw new ContinuoError("usage", `cannot ask whether to ${question}: there is no terminal`, {
      hint: "Confirm it with --yes.",
    });
  }
  if (await confirm(`${question.replace("repair", "Repair")}?`, shell)) return;
  throw new ContinuoError("interrupted", "nothing was repaired");
}

function draw(plans: readonly Plan[], shell: Shell): string {
  const paint = paintFor(screenOf(shell, shell.stdout));
  const lines = plans.map(({ found, repair, error }) => {
    const name = visibleLine(`${found.agent}:${found.sessionId}`);
    if (repair === null) return `${name}  ${paint(visibleLine(error?.message ?? ""), "red")}`;
    const remaining = repair.remaining.length;
    const left =
      remaining === 0 ? "" : `, ${plural(remaining, "problem")} ${remaining === 1 ? "remains" : "remain"}`;
    const what = repair.edits.length === 0 ? "nothing to repair" : plural(repair.edits.length, "record");
    const state = repair.written === null ? "" : " repaired";
    return `${name}  ${what}${state}${paint(left, "yellow")}`;
  });
  return lines.map((line) => `${line}\n`).join("");
}

function endOf(todo: number): string {
  if (todo === 0) return "No session can be repaired.\n";
  return `\n${plural(todo, "session")} can be repaired. Nothing was written: --in-place repairs ${todo === 1 ? "it" : "them"}, and moves the old state to the trash.\n\`continuo session repair ID\` shows each record.\n`;
}

function repairedOf(done: readonly Plan[]): string {
  const repaired = done.filter(({ repair }) => repair !== null && repair.written !== null).length;
  return `${plural(repaired, "session")} repaired. \`continuo session trash\` lists what was there before.\n`;
}

/** A repair has the same form as that of a single session. */
function toJson({ found, repair, error }: Plan): Readonly<Record<string, unknown>> {
  const { agent, sessionId, location } = found;
  if (repair !== null)
    return { ...repair, remaining: repair.remaining.map(checkedProblemToJson), error: null };
  return { agent, sessionId, location, error: error === null ? null : errorToJson(error) };
}

/** The exit code is that of the first failed repair; without one, it reports remaining problems. */
function exitCodeFor(plans: readonly Plan[]): number {
  const failed = plans.find(({ error }) => error !== null)?.error ?? null;
  if (failed !== null) return exitCodeOf(failed);
  return plans.some(({ repair }) => (repair?.remaining.length ?? 0) > 0) ? STILL_DAMAGED : 0;
}
