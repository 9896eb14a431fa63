import { describe, expect, test } from "vitest";
import {
  EVENT_KINDS,
  type EventType,
  eventsDocument,
  isEvent,
  payloadProblem,
  retentionOf,
  type StoredEvent,
} from "./index.ts";

describe("docs/events.md", () => {
  test("is what the table of event types says", async () => {
    await expect(eventsDocument()).toMatchFileSnapshot("../../../../../docs/events.md");
  });
});

describe("the table of event types", () => {
  test("every type says what it is, and has a retention", () => {
    for (const [type, kind] of Object.entries(EVENT_KINDS)) {
      expect(type).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(kind.says).toMatch(/\.$/);
      expect(retentionOf(type)).toBe(kind.retention);
    }
    expect(retentionOf("unknown")).toBe("critical");
  });

  const PROBLEMS: readonly (readonly [string, unknown, string | undefined])[] = [
    ["message_sent", { content: "x" }, undefined],
    ["message_sent", { content: [{ type: "text", text: "x" }], role: "system" }, undefined],
    ["message_sent", { content: [{ text: "x" }] }, "content is no string or Block[]."],
    ["message_sent", { content: "x", role: "robot" }, "role is no role."],
    ["message_sent", {}, "The payload lacks content."],
    ["message_sent", null, "The payload is no object."],
    ["message_sent", { content: "x", role: null }, undefined],
    ["tool_call_completed", { call_id: "c" }, undefined],
    ["tool_call_completed", { toolCallId: 1 }, "toolCallId is no string."],
    ["message_streamed", { delta: "x", message_id: "m" }, undefined],
    ["bytes", new Uint8Array(), undefined],
    ["bytes", "x", "The payload is no bytes."],
    ["not_listed", 1, undefined],
    ["toString", 1, undefined],
  ];
  for (const [type, payload, problem] of PROBLEMS) {
    test(`${type} ${JSON.stringify(payload)}: ${problem ?? "fine"}`, () => {
      expect(payloadProblem(type, payload)).toBe(problem);
    });
  }

  test("determines the types of payloads", () => {
    const event = {
      type: "tool_call_started",
      data: { toolCallId: "t", toolName: "n" },
    } as unknown as StoredEvent;
    const name: string = isEvent(event, "tool_call_started") ? event.data.toolName : "";
    const kinds: readonly EventType[] = ["message_sent", "custom"];
    expect([name, kinds.length]).toEqual(["n", 2]);
    expect(isEvent({ ...event, invalid: "x" }, "tool_call_started")).toBe(false);
  });
});
