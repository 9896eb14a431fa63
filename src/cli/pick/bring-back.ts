/** Sessions that their agents' own lists leave out: the note in the preview, the plan, and the change. */

import { type LeftOutSession, nameOf } from "@continuo/agents/catalog";
import { AGENT_LABELS, ContinuoError, isContinuoError, shellWord } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import type { ReturnedSession } from "@continuo/native/editing";
import { type Paint, type Shell, wrap } from "../terminal/index.ts";
import type { PickEntry } from "./filter.ts";
import type { ReturnPlan } from "./state.ts";

interface NoteDrawing {
  readonly columns: number;
  readonly paint: Paint;
  readonly home: string;
}

/** Lines above the preview; nothing if the agent lists the session, or if there is no preview. */
export function drawHiddenNote(
  left: LeftOutSession | undefined,
  { columns, paint, home }: NoteDrawing,
): readonly string[] {
  if (left === undefined || columns === 0) return [];
  const { facts, hidden } = left;
  const why = `! ${AGENT_LABELS[hidden.found.agent]} does not list it: ${facts.means}`;
  const back = facts.by === "continuo" ? `b brings it back: ${facts.bringsBack}` : facts.bringsBack;
  return [
    ...wrap([{ text: tilded(visibleLine(why), home), styles: ["yellow"] }], columns, paint),
    ...wrap([{ text: tilded(visibleLine(back), home), styles: ["dim"] }], columns, paint),
    "",
  ];
}

/** Nothing is written. A session that cannot be brought back is named with the reason. */
export async function planReturns(
  entries: readonly PickEntry[],
  hidden: ReadonlyMap<string, LeftOutSession>,
  shell: Shell,
): Promise<ReturnPlan> {
  const lines: string[] = [];
  const possible: PickEntry[] = [];
  for (const entry of entries) {
    const left = hidden.get(entry.info.location);
    if (left === undefined) continue;
    const steps = await stepsOf(left, shell);
    if (steps.canBeDone) possible.push(entry);
    lines.push(
      `${AGENT_LABELS[left.hidden.found.agent]}: ${entry.info.title ?? nameOf(entry.info)}`,
      ...steps.lines.map((line) => `  ${tilded(line, shell.home)}`),
      ...(steps.canBeDone ? [`  ${left.facts.changes} The old state goes to the trash.`] : []),
      "",
    );
  }
  return { lines, entries: possible };
}

async function stepsOf(
  left: LeftOutSession,
  shell: Shell,
): Promise<{ readonly canBeDone: boolean; readonly lines: readonly string[] }> {
  try {
    const { steps, command } = await returnOf(left, shell);
    if (steps.length > 0) return { canBeDone: true, lines: steps };
    const line = command === null ? left.facts.bringsBack : `run \`${command.map(shellWord).join(" ")}\``;
    return { canBeDone: false, lines: [line] };
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return { canBeDone: false, lines: [error.message] };
  }
}

/** Errors: `conflict` if it was changed or listed in the meantime, and those of the change. */
export async function bringBack(
  left: LeftOutSession | undefined,
  shell: Shell,
): Promise<{ readonly trashId: string; readonly newLocation: string }> {
  const done = left === undefined ? null : await returnOf(left, shell, "in place");
  if (done === null || done.trashId === null)
    throw new ContinuoError("conflict", "its agent lists the session already");
  return { trashId: done.trashId, newLocation: done.newLocation };
}

async function returnOf(
  { hidden }: LeftOutSession,
  shell: Shell,
  write?: "in place",
): Promise<ReturnedSession> {
  const { returnHiddenSession } = await import("@continuo/native/editing");
  const places = placesOf(shell);
  return await returnHiddenSession(hidden, write === undefined ? { places } : { places, write });
}

function tilded(text: string, home: string): string {
  return home === "/" ? text : text.replaceAll(home, "~");
}
