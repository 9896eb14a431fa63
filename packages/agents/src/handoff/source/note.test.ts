import { expect, test } from "vitest";
import { lastNote, noteIn } from "./note.ts";

const NOTE = { from: { agent: "pi" } };

test.each<[string, unknown]>([
  ["in the record", { continuo: NOTE }],
  ["in its payload", { payload: { continuo: NOTE } }],
  ["in its metadata", { metadata: { continuo: NOTE } }],
  ["in its metadata as text", { metadata: JSON.stringify({ continuo: NOTE }) }],
  ["in its metadata, and the payload has none", { payload: { type: "x" }, metadata: { continuo: NOTE } }],
  ["in its payload, and the record's own is no object", { continuo: "x", payload: { continuo: NOTE } }],
  ["in the record, and another one in its payload", { continuo: NOTE, payload: { continuo: {} } }],
  [
    "in its payload, and another one in its metadata",
    { payload: { continuo: NOTE }, metadata: { continuo: {} } },
  ],
])("the note of a record is %s", (_name, record) => {
  expect(noteIn(record)).toEqual(NOTE);
});

test.each<[unknown]>([
  [null],
  [undefined],
  ["continuo"],
  [[{ continuo: NOTE }]],
  [{}],
  [{ continuo: "x" }],
  [{ continuo: [NOTE] }],
  [{ payload: JSON.stringify({ continuo: NOTE }) }],
  [{ metadata: "a text of the agent" }],
  [{ metadata: "{ a text of the agent" }],
  [{ metadata: JSON.stringify([{ continuo: NOTE }]) }],
  [{ metadata: ` ${JSON.stringify({ continuo: NOTE })}` }],
  [{ metadata: { payload: { continuo: NOTE } } }],
])("the record %j has no note", (record) => {
  expect(noteIn(record)).toBe(null);
});

test("the last note of a session counts", () => {
  const older = { continuo: { from: { agent: "codex" } } };
  expect(lastNote([older, { continuo: NOTE }, { continuo: "x" }, {}])).toEqual(NOTE);
  expect(lastNote([older, {}, null])).toEqual(older.continuo);
  expect(lastNote([{}, null])).toBe(null);
  expect(lastNote([])).toBe(null);
});
