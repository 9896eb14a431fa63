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

test("the text of a run has the words that the person typed and the names of pictures and files, and says if it is a part", () => {
  const picture = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };
  const file = { type: "file", mimeType: "text/plain", name: "a.ts", url: "file:///work/a.ts" };
  const typed = { type: "text", text: "<missed>…</missed>\n\nwhy?", typed: "why?" };
  const shown = (input: unknown) =>
    foldRuns([event("a", "created", { input })]).map(({ text, isPart = false }) => [text, isPart]);
  expect(shown([typed])).toEqual([["why?", false]]);
  expect(shown([typed, picture, file])).toEqual([["why?\n\n[picture, image/png]\n\n[file a.ts]", true]]);
  expect(shown([picture])).toEqual([["[picture, image/png]", true]]);
  const long = "x".repeat(2_000);
  expect([...shown(long), ...shown(`${long}y`)]).toEqual([
    [long, false],
    [long, true],
  ]);
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
