/** These tests cover the message of each call, and the result that it has in the end. */

import { describe, expect, test } from "vitest";
import type { Message } from "../../model/index.ts";
import { fromEvents } from "../builder/index.ts";
import type { EventLike } from "../events/index.ts";

type Data = Readonly<Record<string, unknown>>;
type GivenEvent = readonly [
  type: string,
  data: Data,
  place?: Pick<EventLike, "runId" | "occurredAt" | "sequence">,
];

function folded(...events: readonly GivenEvent[]) {
  return fromEvents(events.map(([type, data, place], at) => ({ type, sequence: at + 1, data, ...place })));
}

const started = (toolCallId: string, more: Data = {}): GivenEvent => [
  "tool_call_started",
  { toolCallId, toolName: "read", ...more },
];
const completed = (toolCallId: string, toolOutput: unknown = "out"): GivenEvent => [
  "tool_call_completed",
  { toolCallId, toolOutput },
];
const said = (content: string, more: Data = {}): GivenEvent => [
  "message_sent",
  { role: "assistant", content, ...more },
];
const NO_LOG = { sequence: null };
const inRun = ([type, data]: GivenEvent, runId: string): GivenEvent => [type, data, { runId }];

function shapesOf(messages: readonly Message[]): readonly string[] {
  return messages.map(({ id, content }) =>
    [
      `${id}:`,
      ...content.map((block) => {
        if (block.type === "tool_call") return `call ${block.id}`;
        return block.type === "tool_result" ? `result ${block.toolCallId}` : block.type;
      }),
    ].join(" "),
  );
}

test.each<[GivenEvent]>([
  [["tool_call_started", { toolName: "read" }]],
  [["tool_call_completed", { toolOutput: "out" }]],
  [["tool_call_failed", { error: "no" }]],
])("%j names no call: it is counted as invalid", (event) => {
  const { messages, metadata } = folded(event);
  expect([messages, metadata.leftOut.invalid, metadata.resultsWithoutCall]).toEqual([[], 1, 0]);
});

test("a call and its result are two messages, each with its place in the log", () => {
  const { messages, metadata } = folded(
    ["tool_call_started", { toolCallId: "a", toolInput: { path: "x" } }, { runId: "r", occurredAt: "10:00" }],
    ["tool_call_completed", { toolCallId: "a", toolOutput: "out" }, { runId: "r", occurredAt: "10:01" }],
  );
  expect(messages).toEqual([
    {
      id: "event-1",
      role: "assistant",
      origin: "agent",
      timestamp: "10:00",
      content: [{ type: "tool_call", id: "a", name: "unknown", args: { path: "x" } }],
      metadata: { events: 1, sequence: 1, lastSequence: 1, runId: "r" },
    },
    {
      id: "event-2",
      role: "tool",
      toolCallId: "a",
      timestamp: "10:01",
      toolName: "unknown",
      toolInput: { path: "x" },
      toolOutput: "out",
      content: [
        {
          type: "tool_result",
          toolCallId: "a",
          isError: false,
          status: "ok",
          content: [{ type: "text", text: "out" }],
        },
      ],
      metadata: { events: 1, sequence: 2, lastSequence: 2, runId: "r" },
    },
  ]);
  expect(metadata.openCalls).toEqual([]);
});

describe("a call is placed in", () => {
  test.each<readonly [string, readonly GivenEvent[], readonly string[]]>([
    ["the agent's last message", [said("Hm."), started("a"), started("b")], ["event-1: text call a call b"]],
    [
      "a message of its own after a person's",
      [["message_sent", { content: "Hm." }], started("a")],
      ["event-1: text", "event-2: call a"],
    ],
    [
      "a message of its own after another run's",
      [inRun(said("Hm."), "r1"), inRun(started("a"), "r2")],
      ["event-1: text", "event-2: call a"],
    ],
    [
      "the message that it names, wherever that stands",
      [said("Hm.", { messageId: "m" }), said("So."), started("a", { messageId: "m" })],
      ["m: text call a", "event-2: text"],
    ],
    [
      "a new message of the name, which other calls join",
      [said("Hm."), started("a", { messageId: "n" }), said("So."), started("b", { messageId: "n" })],
      ["event-1: text", "n: call a call b", "event-3: text"],
    ],
    [
      "a message of its own where a person's has the name",
      [["message_sent", { content: "Hm.", messageId: "m" }], started("a", { messageId: "m" })],
      ["m: text", "event-2: call a"],
    ],
    [
      "a message of its own where another run's has the name",
      [
        inRun(started("a", { messageId: "m" }), "r1"),
        inRun(completed("a"), "r1"),
        inRun(started("b", { messageId: "m" }), "r2"),
      ],
      ["m: call a", "event-2: result a", "event-3: call b"],
    ],
    [
      "the last place, when its id is used again",
      [
        said("Hm.", { messageId: "m" }),
        started("a", { messageId: "n" }),
        completed("a"),
        started("a", { messageId: "m" }),
      ],
      ["m: text", "n: call a", "event-3: result a", "event-4: call a"],
    ],
    [
      "the same message, when its id is used again in it",
      [started("a", { messageId: "m" }), completed("a"), started("a", { messageId: "m" })],
      ["m: call a call a", "event-2: result a"],
    ],
  ])("%s", (_, events, expected) => {
    expect(shapesOf(folded(...events).messages)).toEqual(expected);
  });

  test("a message that it begins, and whose text may follow", () => {
    const { messages } = folded(started("a", { messageId: "m" }));
    expect(messages[0]?.metadata).toEqual({
      events: 1,
      sequence: 1,
      lastSequence: 1,
      messageId: "m",
      partial: true,
    });
    expect(folded(started("a")).messages[0]?.metadata).not.toHaveProperty("partial");
  });

  test("a message whose events it is one of", () => {
    expect(folded(said("Hm."), started("a"), started("b")).messages[0]?.metadata).toEqual({
      events: 3,
      sequence: 1,
      lastSequence: 3,
    });
    expect(folded(said(""), started("a")).messages[0]?.metadata).toMatchObject({
      events: 2,
      lastSequence: 2,
    });
  });
});

describe("a call that is reported again while it is open", () => {
  test.each([
    ["has its new arguments", { path: "x" }, { path: "y" }, { args: { path: "y" } }],
    ["has its new text", {}, '{"pa', { args: {}, rawArgs: '{"pa' }],
    ["keeps its arguments if the second report has none", { path: "x" }, undefined, { args: { path: "x" } }],
  ])("%s, and is counted", (_, first, second, expected) => {
    const again = started("a", { toolInput: second, toolName: "read" });
    const { messages } = folded(started("b"), started("a", { toolInput: first }), said("So."), again);
    expect(messages[0]?.content).toEqual([
      { type: "tool_call", id: "b", name: "read", args: {} },
      { type: "tool_call", id: "a", name: "read", ...expected },
    ]);
    expect(messages[0]?.metadata).toEqual({ events: 3, sequence: 1, lastSequence: 4 });
  });
});

describe("a second result of a call", () => {
  test("takes the place of the first, and counts both events", () => {
    const { messages } = folded(started("a"), completed("a", "one"), said("So."), [
      "tool_call_failed",
      { toolCallId: "a", error: "two" },
      { occurredAt: "10:00" },
    ]);
    expect(shapesOf(messages)).toEqual(["event-1: call a", "event-2: result a", "event-3: text"]);
    expect(messages[1]).toMatchObject({ toolName: "read", toolOutput: "two", timestamp: "10:00" });
    expect(messages[1]?.content).toMatchObject([{ isError: true, status: "error" }]);
    expect(messages[1]?.metadata).toEqual({ events: 2, sequence: 2, lastSequence: 4 });
  });

  test("is of the newest call of that id", () => {
    const { messages } = folded(
      ...[started("a"), completed("a", "one"), started("a"), completed("a", "two"), completed("a", "three")],
    );
    expect(messages.map(({ toolOutput }) => toolOutput)).toEqual([undefined, "one", undefined, "three"]);
  });

  test("that is in no log keeps the place of the first", () => {
    const loose = (output: string): GivenEvent => [
      "tool_call_completed",
      { toolCallId: "a", toolOutput: output },
      NO_LOG,
    ];
    const { messages } = folded(started("a"), completed("a", "one"), loose("two"));
    expect(messages[1]).toMatchObject({ id: "event-2", toolOutput: "two" });
    expect(messages[1]?.metadata).toEqual({ events: 2, sequence: 2, lastSequence: 2 });
    expect(folded(started("a"), loose("one"), loose("two")).messages[1]?.metadata).toEqual({ events: 2 });
  });
});

test("a result that comes before its call waits for it, once", () => {
  const early = folded(completed("a", "early"), started("b"));
  expect([early.metadata.resultsWithoutCall, early.metadata.openCalls]).toEqual([1, ["b"]]);
  const { messages, metadata } = folded(completed("a", "early"), started("a"), started("a"));
  expect(messages.map(({ toolOutput }) => toolOutput)).toEqual([undefined, "early", undefined]);
  expect([metadata.resultsWithoutCall, metadata.openCalls]).toEqual([0, ["a"]]);
});

test.each([
  [undefined, "r", 0],
  ["r", undefined, 0],
  ["r", "r", 0],
  ["r", "s", 1],
])("a result of the run %s that comes before a call of the run %s: %i waits", (first, second, waiting) => {
  const { metadata } = folded(
    ["tool_call_completed", { toolCallId: "a" }, { runId: first ?? null }],
    ["tool_call_started", { toolCallId: "a" }, { runId: second ?? null }],
  );
  expect(metadata.resultsWithoutCall).toBe(waiting);
});

describe("the end of a run", () => {
  const INTERRUPTED = "The call was interrupted: whether it took effect is not known.";

  test("closes its open calls, with a result that is no event", () => {
    const end: GivenEvent = ["run_completed", { runId: "r" }, { runId: "r", occurredAt: "10:00" }];
    const { messages } = folded(inRun(started("a", { toolInput: { x: 1 } }), "r"), end);
    expect(messages[1]).toEqual({
      id: "event-2:a",
      role: "tool",
      toolCallId: "a",
      timestamp: "10:00",
      toolName: "read",
      toolInput: { x: 1 },
      toolOutput: INTERRUPTED,
      content: [
        {
          type: "tool_result",
          toolCallId: "a",
          isError: true,
          status: "interrupted",
          content: [{ type: "text", text: INTERRUPTED }],
        },
      ],
      metadata: {
        events: 0,
        sequence: 2,
        lastSequence: 2,
        runId: "r",
        closedBy: "run_completed",
      },
    });
    expect(folded(inRun(started("a"), "r"), ["run_completed", {}]).messages[1]).not.toHaveProperty(
      "timestamp",
    );
  });

  test.each<readonly [string, readonly GivenEvent[], readonly string[]]>([
    ["of its run", [inRun(started("a"), "r"), ["run_failed", { runId: "r" }]], []],
    ["of another run", [inRun(started("a"), "q"), ["run_failed", { runId: "r" }]], ["a"]],
    ["of no run", [started("a"), ["run_failed", { runId: "r" }]], []],
    ["where no run ended by name", [inRun(started("a"), "q"), ["run_failed", {}]], []],
    ["by the run of the event", [inRun(started("a"), "q"), ["run_failed", {}, { runId: "r" }]], ["a"]],
    [
      "one by one",
      [inRun(started("a"), "q"), inRun(started("b"), "r"), ["run_failed", { runId: "r" }]],
      ["a"],
    ],
  ])("closes calls %s", (_, events, open) => {
    expect(folded(...events).metadata.openCalls).toEqual(open);
  });

  test.each([
    ["run_cancelled", "cancelled", "cancelled"],
    ["run_failed", "interrupted", "failed"],
    ["run_timed_out", "interrupted", "timeout"],
    ["run_interrupted", "interrupted", "interrupted"],
    ["run_completed", "interrupted", "completed"],
  ])("%s leaves its calls %s", (type, status, lastRun) => {
    const { messages, metadata } = folded(started("a"), [type, { runId: "r" }]);
    expect(messages[1]?.content).toMatchObject([{ status }]);
    expect(metadata.lastRun).toEqual({ runId: "r", status: lastRun });
  });
});
