import type { StoredEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { foldRuns, unansweredOf } from "./runs.ts";

function event(runId: string, end: string, data: object = {}, sequence = 1): StoredEvent {
  return { runId, type: `run_${end}`, data, sequence, occurredAt: "t" } as unknown as StoredEvent;
}

function unanswered(events: readonly StoredEvent[]): readonly string[] {
  return unansweredOf(foldRuns(events)).map(({ runId }) => runId);
}

test("turns after the last answer count as unanswered, unless the same prompt was sent again later", () => {
  const [created, again] = [{ input: "why?" }, { input: "why?", metadata: { retryOf: "b" } }];
  const early = [
    event("a", "created", created),
    event("a", "failed"),
    event("x", "created"),
    event("x", "completed"),
  ];
  const late = [event("b", "created", created), event("b", "interrupted")];
  expect(unanswered(early)).toEqual([]);
  expect(unanswered([...early, ...late])).toEqual(["b"]);
  expect(unanswered([...late, event("c", "created", again), event("c", "failed")])).toEqual(["c"]);
  const before = [event("b", "created", created), event("e", "created"), event("b", "interrupted")];
  const repeated = [event("c", "created", again), event("c", "completed"), event("e", "interrupted")];
  expect(unanswered([...before, ...repeated])).toEqual(["e"]);
  expect(unanswered([event("d", "created", created), event("d", "started")])).toEqual([]);
});

test("a run has the status of its last event, the place of its beginning, and the text of its prompt", () => {
  const events = [
    event("a", "created", { input: "why?", agent: "pi" }, 3),
    event("a", "started", {}, 5),
    event("a", "failed", { error: { message: "no" } }, 9),
    event("gone", "failed"),
  ];
  expect(foldRuns(events)).toEqual([
    {
      runId: "a",
      status: "failed",
      agent: "pi",
      text: "why?",
      at: "t",
      message: "no",
      retryOf: null,
      startedAt: 5,
    },
  ]);
});
