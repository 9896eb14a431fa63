/** Records of streams: what clients may post, and the bodies that are made of what is stored. */

import type { StoredEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { parseEvents } from "./events.ts";
import { bodyOf, recordsOf } from "./records.ts";

const ANN = { kind: "person", id: "ann" } as const;

const parsed = (...events: readonly object[]) => parseEvents(Buffer.from(JSON.stringify(events)), ANN);

test.each([
  "session_created",
  "run_completed",
  "checkpoint",
  "checkpoint_stored",
  "participant_session_created",
  "presence_joined",
  "approval_resolved",
  "message_interrupted",
  "bytes",
])("nobody posts an event of the type %s, which states what only the server knows", async (type) => {
  await expect(parsed({ type: "custom", data: {} }, { type, data: {} })).rejects.toMatchObject({
    code: "forbidden",
    details: { index: 1, type },
  });
});

test("an event that is posted has the actor of its token, and no part that the server sets", async () => {
  expect(await parsed({ type: "custom", data: { n: 1 } })).toEqual([
    { type: "custom", data: { n: 1 }, actor: ANN },
  ]);
  for (const key of ["actor", "sequence", "retention", "hash"])
    await expect(parsed({ type: "custom", [key]: "x" })).rejects.toMatchObject({ details: { key } });
});

function stored(sequence: number, text: string, more: object = {}): StoredEvent {
  return {
    sequence,
    logId: "streams/a",
    type: "bytes",
    data: Buffer.from(text),
    ...more,
  } as unknown as StoredEvent;
}

test.each([
  ["text/plain", "a", "b", "ab"],
  ["application/json", "1", "2", "[1,2]"],
])("records of %s that were pruned are left out of a body", (mediaType, first, last, body) => {
  const events = [
    stored(1, first),
    stored(2, "", { data: null, pruned: { at: "now", reason: "policy" } }),
    stored(3, last),
  ];
  expect(bodyOf(recordsOf(mediaType), events).toString()).toBe(Buffer.from(body).toString());
});
