/** Adds turns without a complete answer, such as those of a killed process, at their places among the others. Pure. */

import type { ChatRun } from "@continuo/core/wire/machine";
import type { ChatTurn } from "./protocol.ts";
import { toErrorPart } from "./turns.ts";

/**
 * A run that gave output already has a turn in the history, and its end is added to that turn. A run that never started
 * has no turn; it gets one, so that the reader sees its prompt.
 *
 * @param told ids of the runs whose turns already show how they ended
 */
export function withUnanswered(
  turns: readonly ChatTurn[],
  runs: readonly ChatRun[],
  told: ReadonlySet<string>,
): readonly ChatTurn[] {
  const claimed = new Set<string>();
  return runs.reduce((all, run) => (told.has(run.runId) ? all : withRun(all, run, claimed)), turns);
}

/** @param claimed turns that belong to an earlier run */
function withRun(turns: readonly ChatTurn[], run: ChatRun, claimed: Set<string>): readonly ChatTurn[] {
  const own = turns.findIndex(
    ({ id, startedAt, message }) =>
      id === run.runId ||
      (run.text !== "" && !claimed.has(id) && startedAt >= run.at && message.text.startsWith(run.text)),
  );
  const turn = turns[own];
  if (turn !== undefined) {
    claimed.add(turn.id);
    return turn.state === "error" ? turns : turns.with(own, { ...turn, ...endOf(run, turn.responseParts) });
  }
  const after = turns.findIndex(({ startedAt }) => startedAt > run.at);
  return turns.toSpliced(after === -1 ? turns.length : after, 0, {
    id: run.runId,
    startedAt: run.at,
    message: { text: run.text, origin: { kind: "user" } },
    usage: undefined,
    duration: 0,
    ...endOf(run, []),
  });
}

function endOf(
  { status, message }: ChatRun,
  parts: ChatTurn["responseParts"],
): Pick<ChatTurn, "responseParts" | "state"> {
  if (status === "cancelled") return { responseParts: parts, state: "cancelled" };
  const error = toErrorPart(message ?? `the turn was ${status}`);
  return { responseParts: [...parts, error], state: "error" };
}
