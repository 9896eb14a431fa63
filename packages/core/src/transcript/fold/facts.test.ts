/** These tests cover a transcript's metadata: the session, its usage, its turns and its approvals. */

import { describe, expect, test } from "vitest";
import { fromEvents } from "../builder/index.ts";
import { usageOf } from "./facts.ts";

type Data = Readonly<Record<string, unknown>>;
type GivenEvent = readonly [type: string, data: Data, place?: { readonly runId: string }];

function metadataOf(...events: readonly GivenEvent[]) {
  return fromEvents(events.map(([type, data, place], at) => ({ type, sequence: at + 1, data, ...place })))
    .metadata;
}

describe("what a session is", () => {
  test.each<readonly [string, readonly Data[], Data]>([
    [
      "every field that it names",
      [{ title: "t", agent: "pi", cwd: "/a", status: "s", other: 1 }],
      { title: "t", agent: "pi", cwd: "/a", status: "s" },
    ],
    [
      "earlier values, and the newest value of each field",
      [{ title: "t", cwd: "/a" }, { title: "u" }],
      { title: "u", cwd: "/a" },
    ],
    ["no field that null removes", [{ title: "t", cwd: "/a" }, { cwd: null }], { title: "t" }],
    [
      "metadata, key by key",
      [{ metadata: { a: 1, b: 2 } }, { title: "t" }, { metadata: { b: null, c: 3 } }],
      { title: "t", metadata: { a: 1, c: 3 } },
    ],
    ["no metadata without keys", [{ title: "t", metadata: "red" }, { metadata: [1] }], { title: "t" }],
  ])("is %s", (_, payloads, expected) => {
    const events = payloads.map((data): GivenEvent => ["session_updated", data]);
    expect(metadataOf(...events).session).toStrictEqual(expected);
  });

  test("is one for its creation and its updates", () => {
    const { session } = metadataOf(["session_created", { title: "t" }], ["session_updated", { agent: "pi" }]);
    expect(session).toEqual({ title: "t", agent: "pi" });
  });

  test.each([
    ["session_resumed", "resumption"],
    ["session_handed_over", "handedOver"],
    ["session_state_changed", "liveState"],
    ["session_closed", "closed"],
  ])("the newest %s is %s", (type, key) => {
    expect(metadataOf([type, { a: 1 }], [type, { b: 2 }])[key]).toEqual({ b: 2 });
  });
});

describe("approvals", () => {
  test.each<readonly [string, readonly GivenEvent[], unknown]>([
    [
      "the title",
      [["approval_requested", { approvalId: "a", title: "Run?", toolCallId: "c" }]],
      { open: { a: "Run?" } },
    ],
    ["the call", [["approval_requested", { approvalId: "a", toolCallId: "c" }]], { open: { a: "c" } }],
    ["nothing", [["approval_requested", {}]], { open: { "": "" } }],
    [
      "all that are open",
      [
        ["approval_requested", { approvalId: "a", title: "A?" }],
        ["approval_requested", { approvalId: "b", title: "B?" }],
      ],
      { open: { a: "A?", b: "B?" } },
    ],
    [
      "the last decision, while others are open or come",
      [
        ["approval_requested", { approvalId: "a", title: "A?" }],
        ["approval_requested", { approvalId: "b", title: "B?" }],
        ["approval_resolved", { approvalId: "a", outcome: "granted" }],
        ["approval_requested", { approvalId: "c", title: "C?" }],
      ],
      { open: { b: "B?", c: "C?" }, last: { approvalId: "a", outcome: "granted" } },
    ],
    [
      "a decision on what has no id",
      [
        ["approval_requested", {}],
        ["approval_resolved", { outcome: "denied" }],
      ],
      { open: {}, last: { outcome: "denied" } },
    ],
    ...["run_completed", "run_failed", "run_cancelled", "run_timed_out", "run_interrupted"].map(
      (end): readonly [string, readonly GivenEvent[], unknown] => [
        `nothing that is open after ${end}`,
        [
          ["approval_requested", { approvalId: "a", title: "A?" }],
          ["approval_requested", { approvalId: "b", title: "B?" }],
          ["approval_resolved", { approvalId: "a", outcome: "granted" }],
          [end, { runId: "r" }],
        ],
        { open: {}, last: { approvalId: "a", outcome: "granted" } },
      ],
    ),
  ])("say %s", (_, events, expected) => {
    expect(metadataOf(...events).approvals).toStrictEqual(expected);
  });
});

test.each<readonly [Data, Data]>([
  [{ mode: "plan" }, { mode: "plan", model: "one" }],
  [{ model: "two" }, { mode: "code", model: "two" }],
  [{}, { mode: "code", model: "one" }],
])("a change of mode to %j is %j", (change, expected) => {
  expect(
    metadataOf(["mode_changed", { mode: "code", model: "one" }], ["mode_changed", change]),
  ).toMatchObject(expected);
});

test("every tool that was offered stays in the metadata with its newest definition, up to 256 tools", () => {
  const offer = (...tools: readonly unknown[]): GivenEvent => ["mode_changed", { tools }];
  const [a, b] = [{ name: "a", inputSchema: { type: "object" } }, { name: "b" }];
  const newer = { name: "a", description: "Newer." };
  const odd = [null, { name: 7 }, { name: "c", description: 1, inputSchema: [], other: true }];
  expect(metadataOf(offer(a), offer(b, newer, ...odd), offer()).tools).toEqual([b, newer, { name: "c" }]);
  const many = Array.from({ length: 300 }, (_, at) => ({ name: `${at}` }));
  expect(metadataOf(offer(a), offer(...many)).tools).toEqual(many.slice(-256));
  expect(metadataOf(["mode_changed", { mode: "plan" }])).not.toHaveProperty("tools");
});

test("turns are counted, and the newest reason of their end is reported", () => {
  const turn = (data: Data): GivenEvent => ["turn_completed", data];
  expect(metadataOf(turn({ stopReason: "end" }), turn({}))).toMatchObject({ turns: 2, stopReason: "end" });
  expect(metadataOf(turn({}))).not.toHaveProperty("stopReason");
  expect(metadataOf(turn({ stopReason: "end" }), turn({ stopReason: "limit" })).stopReason).toBe("limit");
});

describe("usage", () => {
  const usage = (inputTokens: number, more: Data = {}): Data => ({ inputTokens, outputTokens: 0, ...more });
  const updated = (data: Data): GivenEvent => ["token_usage_updated", data];
  const turn = (data: Data): GivenEvent => ["turn_completed", data];
  const said = (messageId: string, used?: Data, runId?: string): GivenEvent => [
    "message_received",
    { messageId, content: "Yes.", ...(used === undefined ? {} : { usage: used }) },
    ...(runId === undefined ? ([] as const) : ([{ runId }] as const)),
  ];

  test.each<readonly [string, readonly GivenEvent[], Data | undefined]>([
    ["is absent if no event has it", [updated({}), ["turn_completed", {}], ["run_completed", {}]], undefined],
    ["is added up over calls", [updated({ usage: usage(1) }), updated({ usage: usage(2) })], usage(3)],
    [
      "has the cost of its event, unless it has its own",
      [updated({ usage: usage(1), costUsd: 0.5 }), updated({ usage: usage(1, { costUsd: 1 }), costUsd: 9 })],
      usage(2, { costUsd: 1.5 }),
    ],
    ["is absent if an event has only a cost", [updated({ costUsd: 0.5 })], undefined],
    ["is added up over turns, one of which has none", [turn({ usage: usage(1) }), turn({})], usage(1)],
    [
      "is added up over turns",
      [
        ["turn_completed", { usage: usage(1) }],
        ["turn_completed", { usage: usage(2) }],
      ],
      usage(3),
    ],
    [
      "is added up over runs",
      [
        ["run_completed", { usage: usage(1) }],
        ["run_completed", { usage: usage(2) }],
      ],
      usage(3),
    ],
    ["is the newest total", [updated({ total: usage(1) }), updated({ total: usage(5) })], usage(5)],
    [
      "is the newest total, even if that is the same",
      [updated({ total: usage(5) }), updated({ total: usage(5) })],
      usage(5),
    ],
    [
      "is every total before it began again, and the newest",
      [...[5, 2, 1, 4].map((tokens) => updated({ total: usage(tokens) })), updated({ usage: usage(100) })],
      usage(11),
    ],
    [
      "began again if the sum of its tokens is less",
      [updated({ total: usage(1, { outputTokens: 9 }) }), updated({ total: usage(3, { outputTokens: 1 }) })],
      usage(4, { outputTokens: 10 }),
    ],
    [
      "began again if the total that it reports is less",
      [updated({ total: usage(1, { totalTokens: 9 }) }), updated({ total: usage(3, { totalTokens: 8 }) })],
      usage(4, { totalTokens: 17 }),
    ],
    [
      "has the last usage of a message that was reported again",
      [said("m1", usage(1)), said("m2", usage(10)), said("m1", usage(5)), said("m1")],
      usage(15),
    ],
    [
      "is added up over messages of the same name in two runs",
      [said("m1", usage(1), "r1"), said("m1", usage(2), "r2"), said("m1", usage(3), "r2")],
      usage(4),
    ],
    [
      "is not replaced by a message whose content is invalid",
      [said("m1", usage(1)), ["message_received", { messageId: "m1", content: 7, usage: usage(2) }]],
      usage(3),
    ],
    [
      "still counts a deleted message, and counts it once if it comes again",
      [said("m1", usage(1)), ["message_deleted", { messageId: "m1" }], said("m1", usage(1))],
      usage(1),
    ],
  ])("%s", (_, events, expected) => {
    expect(metadataOf(...events).usage).toEqual(expected);
  });

  test("comes from the source that is closest to the model", () => {
    const [total, calls, messages, turns, runs] = [1, 2, 3, 4, 5].map((inputTokens) => ({
      inputTokens,
      outputTokens: 0,
    }));
    const sums = { total, calls, messages, turns, runs };
    const order = ["total", "calls", "messages", "turns", "runs"] as const;
    for (const [at, source] of order.entries()) {
      const left = Object.fromEntries(order.slice(at).map((key) => [key, sums[key]]));
      expect(usageOf(left)).toEqual(sums[source]);
    }
    expect(usageOf({})).toBeUndefined();
  });
});
