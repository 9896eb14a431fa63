/** The newest runs of a session, folded from their events. Pure. */

import {
  contentBlocks,
  cutText,
  namedTextOf,
  nameOfBlock,
  present,
  RUN_END_STATUSES,
  RUN_EVENTS,
  type RunStatus,
  type StoredEvent,
} from "@continuo/core/model";
import { recordOf } from "@continuo/core/wire";
import { CHAT_LIMITS, type ChatRun } from "@continuo/core/wire/machine";

/** The types that `foldRuns` reads. */
export const RUN_EVENT_TYPES: readonly string[] = Object.values(RUN_EVENTS);

const STATUS_OF: ReadonlyMap<string, RunStatus> = new Map(
  (Object.keys(RUN_EVENTS) as RunStatus[]).map((status) => [RUN_EVENTS[status], status]),
);

export interface KnownRun extends ChatRun {
  /** The earlier run with the same input, if this one repeats it. */
  readonly retryOf: string | null;
  /** The sequence of the event that started the run; `null` while the run waits. */
  readonly startedAt: number | null;
}

/**
 * Returns the runs in the order of the queue: in the order of the requests, but a run that repeats another one comes
 * right after it. Events of runs whose beginning is missing are left out.
 */
export function foldRuns(events: readonly StoredEvent[]): readonly KnownRun[] {
  const runs = new Map<string, KnownRun>();
  for (const event of events) {
    const { type, runId, sequence } = event;
    const status = STATUS_OF.get(type);
    if (status === undefined || runId === undefined) continue;
    const known = runs.get(runId);
    if (status === "pending") runs.set(runId, createdBy(event, runId));
    else if (known !== undefined) {
      const startedAt = status === "running" ? sequence : known.startedAt;
      runs.set(runId, { ...known, status, startedAt, message: messageOf(event.data) });
    }
  }
  const places = new Map([...runs.keys()].map((runId, place) => [runId, place]));
  const placeOf = ({ runId, retryOf }: KnownRun): number =>
    places.get(retryOf ?? runId) ?? places.get(runId) ?? 0;
  return [...runs.values()].sort((a, b) => placeOf(a) - placeOf(b));
}

function createdBy({ data, occurredAt }: StoredEvent, runId: string): KnownRun {
  const { input, agent, metadata } = recordOf(data);
  const { retryOf } = recordOf(metadata);
  const blocks = contentBlocks(input);
  const whole = namedTextOf(blocks);
  const text = cutText(whole, CHAT_LIMITS.shownPromptChars);
  const isPart = text !== whole || blocks.some((one) => nameOfBlock(one).length > 0);
  return {
    runId,
    status: "pending",
    agent: typeof agent === "string" ? agent : null,
    text,
    ...present({ isPart: isPart || undefined }),
    at: occurredAt,
    message: null,
    retryOf: typeof retryOf === "string" ? retryOf : null,
    startedAt: null,
  };
}

const MAX_MESSAGE_CHARS = 1_000;

function messageOf(data: unknown): string | null {
  const { error, reason } = recordOf(data);
  const { message = reason } = recordOf(error);
  return typeof message === "string" ? cutText(message, MAX_MESSAGE_CHARS) : null;
}

/**
 * Returns the newest runs that ended without a complete answer, only those after the last answered run. A run that a
 * later run repeats is left out.
 */
export function unansweredOf(runs: readonly KnownRun[]): readonly KnownRun[] {
  const last = runs.findLastIndex(({ status }) => status === "completed");
  const again = new Set(runs.map(({ retryOf }) => retryOf));
  return runs
    .slice(last + 1)
    .filter(
      ({ runId, status }) => status !== "completed" && RUN_END_STATUSES.includes(status) && !again.has(runId),
    )
    .slice(-CHAT_LIMITS.unanswered);
}

export function toChatRun({ retryOf: _, startedAt: __, ...run }: KnownRun): ChatRun {
  return run;
}
