/** Finds an earlier turn by the id that the caller gave its input, so that after a crash nothing is asked twice. */

import { type Block, type RunStatus, type Store, textOf } from "@continuo/core/model";
import { recordOf } from "@continuo/core/wire";
import { TALK_LIMITS } from "./limits.ts";

export interface EarlierTurn {
  readonly runId: string;
  readonly status: RunStatus;
  /** The text that the agent received. */
  readonly input: string;
  /** The agent's answer, as far as it is stored. */
  readonly answer: string;
  /** The reason why there is no complete answer; empty if it is not known. */
  readonly reason: string;
}

/** The newest turn with this input; `null` if the session has none. */
export async function findTurn(
  store: Store,
  sessionId: string,
  inputId: string,
): Promise<EarlierTurn | null> {
  const { events } = await store.read(sessionId, {
    types: ["run_created"],
    order: "newest",
    limit: TALK_LIMITS.earlierTurns,
  });
  const created = events.findLast(({ data }) => recordOf(recordOf(data).metadata).inputId === inputId);
  const run = created?.runId === undefined ? null : await store.getRun(created.runId);
  if (run === null) return null;
  const said = await store.read(sessionId, { runId: run.runId, types: ["message_received"] });
  const { message } = recordOf(run.error);
  return {
    runId: run.runId,
    status: run.status,
    input: wordsOf(run.input),
    answer: said.events
      .map(({ data }) => wordsOf(recordOf(data).content))
      .filter((words) => words !== "")
      .join("\n\n"),
    reason: typeof message === "string" ? message : "",
  };
}

function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? textOf(content as readonly Block[]) : "";
}
