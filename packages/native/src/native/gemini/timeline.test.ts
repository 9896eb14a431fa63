import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addRecord, createIndex, idOf } from "./index-fold.ts";
import { createTimeline, foldTimeline, pastStates, type Timeline, withCompacted } from "./timeline.ts";

type Json = Readonly<Record<string, unknown>>;

function fold(records: readonly Json[]): Timeline {
  const timeline = createTimeline(createIndex());
  for (const [at, value] of records.entries()) {
    const record = addRecord(timeline.index, { line: at + 1, offset: at * 100, length: 99 });
    foldTimeline(timeline, record, value, false);
  }
  return timeline;
}

const user = (id: string, text = id): Json => ({ id, type: "user", content: text });
const gemini = (id: string, text = id): Json => ({ id, type: "gemini", content: text });
const rewind = (id: string): Json => ({ $rewindTo: id });
const list = (...messages: Json[]): Json => ({ $set: { messages } });
const context = user("c", "<session_context>\nToday.\n</session_context>");

const idsOf = ({ index }: Timeline, nodes: readonly number[]): string =>
  nodes.map((node) => idOf(index, node)).join(" ");

/** The list as it is now, then the branches, newest first. */
function statesOf(records: readonly Json[]): string[] {
  const timeline = fold(records);
  const states = [timeline.list, ...pastStates(timeline)];
  return states.map((state) => idsOf(timeline, withCompacted(timeline, state)));
}

describe("the list of messages", () => {
  test.each<[string, Json[], string[]]>([
    ["messages follow each other", [user("a"), gemini("b")], ["a b"]],
    [
      "an answer that is written once more, with its calls, takes its own place",
      [
        user("a"),
        gemini("b", ""),
        { ...gemini("b", ""), toolCalls: [{ id: "t", name: "x", args: {} }] },
        user("c"),
      ],
      ["a b c"],
    ],
    [
      "other words under the same id are a branch",
      [user("a"), gemini("b", "x"), gemini("b", "y"), user("c")],
      ["a b c", "a b"],
    ],
    [
      "a rewind takes out the message and all behind it",
      [user("a"), gemini("b"), user("c"), rewind("b"), user("d")],
      ["a d", "a b c"],
    ],
    [
      "two rewinds without anything new between them leave one branch",
      [user("a"), user("b"), user("c"), rewind("c"), rewind("b"), user("d")],
      ["a d", "a b c"],
    ],
    ["a rewind to an unknown id empties the list", [user("a"), rewind("x"), user("b")], ["b", "a"]],
    [
      "a rewind and nothing more: the list is what is left",
      [user("a"), gemini("b"), rewind("b")],
      ["a", "a b"],
    ],
    ["a list takes the place of all", [user("a"), user("b"), list(user("c"))], ["c", "a b"]],
    [
      "a list that says the same in another form is no branch",
      [user("a"), list({ ...user("a"), content: [{ text: "a" }] }, user("b"))],
      ["a b"],
    ],
    [
      "a list that was emptied and written again is no branch",
      [user("a"), gemini("b"), list(context), list(context, user("a"), gemini("b")), user("d")],
      ["c a b d"],
    ],
    [
      "the context of another start is no branch",
      [list(context, user("a")), list({ ...context, content: "<session_context>\nTomorrow" }, user("a"))],
      ["c a"],
    ],
    [
      "a notice that a list leaves out is no branch",
      [user("a"), { id: "i", type: "info", content: "told" }, list(user("a"))],
      ["a"],
    ],
    [
      "metadata with messages add to the list",
      [
        { sessionId: "s", projectHash: "x", messages: [user("a")] },
        { sessionId: "s", projectHash: "x", messages: [user("b")] },
      ],
      ["a b"],
    ],
    [
      "a result that a list leaves out is a branch",
      [
        user("a"),
        { ...gemini("b", ""), toolCalls: [{ id: "t", name: "x", args: {}, result: "long" }] },
        list(user("a"), {
          ...gemini("b", ""),
          toolCalls: [{ id: "t", name: "x", args: {}, result: "masked" }],
        }),
      ],
      ["a b", "a b"],
    ],
  ])("%s", (_name, records, expected) => {
    expect(statesOf(records)).toEqual(expected);
  });

  test("messages that a compaction removed come before its summary, once", () => {
    const summary = user("s", "<state_snapshot>short</state_snapshot>");
    const records = [
      user("a"),
      gemini("b"),
      user("c1", "c"),
      gemini("d"),
      list(context, summary, gemini("ok", "Got it."), user("c2", "c"), gemini("d2", "d")),
      user("e"),
    ];
    expect(statesOf(records)).toEqual(["a b c s ok c2 d2 e"]);
  });
});

/** The list by a plain reading of the rules. */
function plainly(records: readonly Json[]): string {
  let ids: string[] = [];
  const put = (id: string): void => {
    if (!ids.includes(id)) ids.push(id);
  };
  for (const record of records) {
    if (typeof record.$rewindTo === "string") ids = ids.slice(0, Math.max(0, ids.indexOf(record.$rewindTo)));
    else if (typeof record.id === "string") put(record.id);
    else {
      ids = [];
      for (const message of (record.$set as { messages: Json[] }).messages) put(String(message.id));
    }
  }
  return ids.join(" ");
}

const anyId = fc.constantFrom("a", "b", "c", "d", "e");
const anyMessage = fc.record({
  id: anyId,
  type: fc.constantFrom("user", "gemini"),
  content: fc.constantFrom("x", "y"),
});
const anyRecord: fc.Arbitrary<Json> = fc.oneof(
  anyMessage,
  anyMessage,
  anyId.map(rewind),
  fc.array(anyMessage, { maxLength: 4 }).map((messages) => list(...messages)),
);

describe("any records", () => {
  test("make the same list as a simple implementation of the rules", () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 20 }), (records) => {
        const timeline = fold(records);
        expect(idsOf(timeline, timeline.list)).toBe(plainly(records));
      }),
    );
  });

  test("every version that was not replaced by a later one is on a branch", () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 20 }), (records) => {
        const timeline = fold(records);
        const { index } = timeline;
        const shown = new Set([timeline.list, ...pastStates(timeline)].flat());
        for (let node = 0; node < index.nodes; node++) {
          const next = index.next[node] ?? -1;
          const isSaidLater =
            next !== -1 &&
            index.marks[index.markStart[next] ?? 0] === index.marks[index.markStart[node] ?? 0];
          if (!isSaidLater) expect(shown).toContain(node);
        }
      }),
    );
  });
});
