/** The preview of a hand-over: what a person reads before it happens. */

import type { HandOff } from "@continuo/agents/handoff";
import { expect, test } from "vitest";
import { toPreview } from "./answers.ts";

type Receipt = Pick<HandOff, "agent" | "receipt">;

test("a preview counts the reasons of what changes, and has none for records that are kept or outside the conversation", () => {
  const records = [
    { kind: "text", outcome: "kept", reason: "it is the same" },
    { kind: "other", outcome: "noted", reason: "not a message" },
    { kind: "thinking", outcome: "dropped", reason: "another model wrote it" },
    { kind: "thinking", outcome: "dropped", reason: "another model wrote it" },
    { kind: "thinking", outcome: "noted", reason: "another model wrote it" },
    { kind: "other", outcome: "dropped", reason: "unknown" },
  ];
  const byKind = { text: { kept: 1 } };
  const made = { agent: "codex", receipt: { records, byKind } } as unknown as Receipt;
  expect(toPreview(made)).toEqual({
    agent: "codex",
    receipt: {
      byKind,
      reasons: [
        { kind: "thinking", outcome: "dropped", reason: "another model wrote it", count: 2 },
        { kind: "thinking", outcome: "noted", reason: "another model wrote it", count: 1 },
        { kind: "other", outcome: "dropped", reason: "unknown", count: 1 },
      ],
    },
  });
});
