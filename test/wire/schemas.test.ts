import { EVENT_KINDS, FIELD_KINDS, fieldNames, payloadProblem } from "@continuo/core/model";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Check, checkOf, readSchemas } from "./schemas.ts";
import type { WalkStep } from "./walk.ts";

const isFrame = checkOf("channel", "$defs/ClientFrame");

const EXAMPLES = (await import("../../protocol/examples.json", { with: { type: "json" } }))
  .default as unknown as readonly WalkStep[];
describe("the schema of a frame of a client", () => {
  test("has each type of frame that the examples show, and no other", () => {
    const types = JSON.stringify(readSchemas("channel").$defs).match(/"type":\{"const":"(\w+)"\}/gu) ?? [];
    const shown = EXAMPLES.flatMap(({ sends, receives }) => [sends?.type, receives?.type]);
    const named = types.map((text) => /"(\w+)"\}$/u.exec(text)?.[1]);
    // Types of blocks also have the field `type`.
    const frames = named.filter(
      (type) => !/^(?:text|image|file|thinking|tool_call|tool_result|unknown)$/u.test(type ?? ""),
    );
    expect(new Set(frames)).toEqual(new Set(shown.filter(Boolean)));
  });
});

test("each example is valid, and does not change in a round trip through JSON", () => {
  const isServerFrame = checkOf("channel", "$defs/ServerFrame");
  const problems = EXAMPLES.flatMap(({ sends, receives }) => {
    const problem = sends === undefined ? "" : isFrame(sends);
    return [problem, receives === undefined ? "" : isServerFrame(receives)];
  });
  expect(problems.filter(Boolean)).toEqual([]);
});

describe("the schema of an event", () => {
  const values = fc.oneof(
    ...[
      null,
      "",
      "text",
      0,
      1.5,
      true,
      {},
      [],
      { type: "text" },
      [{ type: "text" }],
      [{}],
      "user",
      "nobody",
    ].map((value) => fc.constant(value)),
  );
  const types = Object.keys(EVENT_KINDS).filter((type) => type !== "bytes");

  test.each(types)("of the type %s says the same as the table of event types", (type) => {
    const check: Check = checkOf("events", `$defs/${type}`);
    const payload = EVENT_KINDS[type]?.payload ?? {};
    const names = Object.keys(payload).flatMap((key) => fieldNames(key.replace("?", "")));
    const fields = Object.fromEntries(names.map((name) => [name, values]));
    fc.assert(
      fc.property(fc.record({ more: values, ...fields }, { requiredKeys: [] }), (data) => {
        // The table checks only the first one if a payload has both spellings.
        const spelledTwice = Object.keys(payload).some(
          (key) => fieldNames(key.replace("?", "")).filter((name) => name in data).length > 1,
        );
        if (!spelledTwice) expect(check(data) === "").toBe(payloadProblem(type, data) === undefined);
      }),
      { numRuns: 25 },
    );
    expect(Object.values(payload).every((kind) => kind in FIELD_KINDS)).toBe(true);
  });

  test("checks the data by the type, unless the event says that it is not as the table has it", () => {
    const check = checkOf("events", "$defs/Event");
    const time = "2026-11-25T12:00:00.000Z";
    const event = {
      logId: "l",
      sequence: 1,
      id: "e",
      type: "message_streamed",
      actor: { kind: "agent" },
      occurredAt: time,
      recordedAt: time,
      retention: "supplementary",
      payloadHash: "",
      chainHash: "",
    };
    expect(check({ ...event, data: { messageId: "m", delta: "d" } })).toBe("");
    expect(check({ ...event, data: { messageId: "m" } })).toContain("delta");
    expect(check({ ...event, data: { messageId: "m" }, invalid: "The payload lacks delta." })).toBe("");
    expect(check({ ...event, type: "my_own", data: 5 })).toBe("");
  });
});
