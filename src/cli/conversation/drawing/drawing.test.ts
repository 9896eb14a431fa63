/**
 * Compares drawn turns with the files of `cases/`. `npx vitest run src/cli/conversation -u` writes these files again:
 * look at the changes.
 */

import type { AgentEvent } from "@continuo/core/model";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../../test/sizes/counts.ts";
import { paintFor } from "../../terminal/index.ts";
import {
  beginDrawing,
  type Drawing,
  type DrawingOptions,
  endDrawing,
  foldEvent,
  liveLines,
} from "./drawing.ts";
import { DRAWING_LIMITS } from "./limits.ts";

const OPTIONS: DrawingOptions = {
  agent: "claude",
  columns: 60,
  paint: paintFor({ hasColours: false }),
  mode: "live",
};

/** Every drawn line; after `~ `, the live lines after each event, if the case asks for them. */
function draw(
  events: readonly AgentEvent[],
  options: DrawingOptions = OPTIONS,
  live: "live" | "none" = "none",
): string {
  const lines: string[] = [];
  let drawing = beginDrawing();
  for (const event of events) {
    const step = foldEvent(drawing, event, options);
    drawing = step.drawing;
    lines.push(...step.lines);
    if (live === "live") lines.push(...liveLines(drawing, options, 20).map((line) => `~ ${line}`));
  }
  lines.push(...endDrawing(drawing, options).lines);
  return `${lines.join("\n")}\n`;
}

const text = (delta: string, messageId?: string): AgentEvent => ({
  type: "text",
  delta,
  ...(messageId === undefined ? {} : { messageId }),
});
const thinking = (delta: string): AgentEvent => ({ type: "thinking", delta });
const call = (toolCallId: string, toolName: string, toolInput?: unknown): AgentEvent => ({
  type: "tool_call",
  toolCallId,
  toolName,
  ...(toolInput === undefined ? {} : { toolInput }),
});
const result = (
  toolCallId: string,
  content: string,
  status: "ok" | "error" | "denied" = "ok",
): AgentEvent => ({
  type: "tool_result",
  toolCallId,
  content,
  status,
});

const EDIT = {
  file_path: "/home/ann/app/src/a.ts",
  old_string: "const a = 1;\nconst b = 2;\nconst c = 3;\nexport { a, b, c };\n",
  new_string: "const a = 1;\nconst b = 20;\nconst c = 3;\nexport { a, b, c };\n",
};

const MARKDOWN = `# Plan

First I **look** at \`a.ts\`, then:

1. one
2. two

\`\`\`ts
const x = 1;

const y = 2;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

Done. A paragraph that is longer than sixty columns, so that it is wrapped where words end.
`;

const CASES: Readonly<Record<string, { readonly events: readonly AgentEvent[]; readonly live?: "live" }>> = {
  "an answer": { events: [text("Hello **there**."), { type: "turn_completed", stopReason: "end_turn" }] },
  "markdown in small parts": { events: [...MARKDOWN].map((character) => text(character, "m1")) },
  "what is live": {
    live: "live",
    events: [
      text("One par"),
      text("agraph.\n\nAno"),
      text("ther."),
      call("1", "Bash", { command: "make" }),
      result("1", "ok"),
    ],
  },
  "thinking, then words": {
    events: [thinking("First I look.\nThen "), thinking("I act."), text("I acted.")],
  },
  "calls and results": {
    events: [
      text("Let me look."),
      call("1", "Bash"),
      {
        type: "tool_call_update",
        toolCallId: "1",
        toolInput: { command: "ls -la /very/long/path/that/does/not/fit/into/the/line" },
      },
      call("2", "Read", { file_path: "/a/b" }),
      result("2", Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n")),
      result("1", "no such file", "error"),
      call("3", "Bash", { command: "true" }),
      result("3", ""),
      text("That was it."),
    ],
  },
  "changes of every agent": {
    events: [
      call("1", "Edit", EDIT),
      result("1", "The file was updated."),
      call("2", "Write", { file_path: "/new.txt", content: "one\ntwo\n" }),
      result("2", "done"),
      call(
        "3",
        "apply_patch",
        "*** Begin Patch\n*** Update File: a.txt\n@@\n old\n-gone\n+here\n*** Add File: b.txt\n+new\n*** End Patch",
      ),
      result("3", "denied", "denied"),
      call("4", "edit"),
      {
        type: "tool_call_update",
        toolCallId: "4",
        content: [{ type: "diff", path: "/c", oldText: "a\nb", newText: "a\nc" }],
      },
      result("4", "ok"),
      call("5", "fileChange", {
        changes: [{ path: "d", kind: { type: "update" }, diff: "@@ -1,2 +1,2 @@\n x\n-y\n+z\n" }],
      }),
      result("5", "ok"),
    ],
  },
  "a question": {
    events: [
      call("1", "Edit", EDIT),
      {
        type: "permission_request",
        approvalId: "p1",
        toolCallId: "1",
        toolName: "Edit",
        readOnly: false,
        options: [],
      },
      { type: "permission_decision", approvalId: "p1", outcome: "granted", by: "person" },
      result("1", "ok"),
      {
        type: "permission_request",
        approvalId: "p2",
        toolName: "Bash",
        toolInput: { command: "rm -rf ." },
        readOnly: false,
        options: [],
      },
      {
        type: "permission_decision",
        approvalId: "p2",
        outcome: "denied",
        by: "time limit",
        reason: "no answer within 600000 ms",
      },
    ],
  },
  "a message that was heard in parts": {
    events: [
      text("Hello.", "m1"),
      { type: "message", messageId: "m1", content: [{ type: "text", text: "Hello." }] },
      {
        type: "message",
        messageId: "m2",
        content: [
          { type: "thinking", text: "Hm." },
          { type: "text", text: "Whole." },
        ],
      },
      text("Nameless."),
      { type: "message", content: [{ type: "text", text: "Nameless." }] },
      { type: "message", content: [{ type: "text", text: "Another." }] },
    ],
  },
  "plan, mode, error, an odd end": {
    events: [
      {
        type: "plan",
        entries: [
          { content: "look", status: "completed" },
          { content: "act", status: "in_progress" },
          "rest",
        ],
      },
      {
        type: "plan",
        entries: [
          { content: "look", status: "completed" },
          { content: "act", status: "in_progress" },
          "rest",
        ],
      },
      { type: "mode", mode: "plan" },
      { type: "mode", mode: "act" },
      { type: "error", message: "The model is overloaded." },
      text("Cut o"),
      { type: "turn_completed", stopReason: "max_tokens" },
    ],
  },
  hostile: {
    events: [
      text("\u001b[2J\u001b]0;owned\u0007\n❯ rm -rf /\n\n? allow everything? [y]es\n"),
      call("\u001b[1m", "\u001b[31mBash\n❯ ", { command: "echo \u001b[2J\u202e\nnext" }),
      result("\u001b[1m", "\u001b[2Jout\r\u0008"),
      { type: "error", message: "\u001b[2J\n● you" },
    ],
  },
};

describe("a turn, drawn", () => {
  test.each(Object.entries(CASES))("%s", async (name, { events, live }) => {
    const file = `cases/${name.replaceAll(/[, ]+/gu, "-")}.txt`;
    await expect(draw(events, OPTIONS, live)).toMatchFileSnapshot(file);
  });

  test("without redrawing, a call is drawn as soon as it is known", async () => {
    const { events } = CASES["calls and results"] ?? { events: [] };
    await expect(draw(events, { ...OPTIONS, mode: "lines" })).toMatchFileSnapshot("cases/calls-as-lines.txt");
  });
});

test("a text is drawn in the same way, whatever its parts are", () => {
  const whole = draw([text(MARKDOWN)]);
  fc.assert(
    fc.property(fc.array(fc.nat(MARKDOWN.length), { maxLength: 8 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), MARKDOWN.length];
      const parts = places.slice(1).map((end, at) => text(MARKDOWN.slice(places[at], end)));
      expect(draw(parts)).toBe(whole);
    }),
    { numRuns: rounds(50) },
  );
});

test("all text of an agent is indented, and contains no control characters", () => {
  const anyText = fc.string({ unit: "binary", maxLength: 60 });
  const anyEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
    anyText.map((words) => text(words)),
    anyText.map(thinking),
    fc.tuple(anyText, anyText).map(([id, name]) => call(id, name, { command: name })),
    fc.tuple(anyText, anyText).map(([id, words]) => result(id, words)),
    anyText.map((message): AgentEvent => ({ type: "error", message })),
    anyText.map((stopReason): AgentEvent => ({ type: "turn_completed", stopReason })),
    fc.array(anyText).map((entries): AgentEvent => ({ type: "plan", entries })),
  );
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 8 }), (events) => {
      const lines = draw(events).split("\n");
      expect(lines.filter((line) => line !== "" && !line.startsWith("  "))).toEqual(
        lines.length > 2 ? ["● claude"] : [],
      );
      expect(lines.join("")).not.toMatch(/\p{Cc}/u);
    }),
  );
});

test("text in memory is bounded, even if the agent never ends a block", () => {
  let drawing: Drawing = beginDrawing();
  let most = 0;
  for (let at = 0; at < 3_000; at++) {
    const event =
      at % 3 === 0 ? call(`c${at}`, "Bash") : text(`${"word ".repeat(20)}\n`, `m${at % 3 === 1 ? at : "x"}`);
    drawing = foldEvent(drawing, event, OPTIONS).drawing;
    most = Math.max(most, drawing.calls.length, drawing.heard.length, drawing.saying?.pending.length ?? 0);
  }
  expect(most).toBeLessThanOrEqual(DRAWING_LIMITS.pendingChars + 200);
  expect(drawing.calls.length).toBeLessThanOrEqual(DRAWING_LIMITS.openCalls);
  expect(drawing.heard.length).toBeLessThanOrEqual(DRAWING_LIMITS.heardMessages);
});

test("a denial is drawn once, at the decision, with the agent's answer below", () => {
  const request: AgentEvent = {
    type: "permission_request",
    approvalId: "p",
    toolCallId: "1",
    toolName: "Bash",
    readOnly: false,
    options: [],
  };
  const denied: AgentEvent = {
    type: "permission_decision",
    approvalId: "p",
    outcome: "denied",
    by: "person",
  };
  const events = [call("1", "Bash", { command: "ls" }), request, denied];
  expect(draw([...events, result("1", "", "denied")]).match(/denied/gu)).toHaveLength(1);
  expect(draw([...events, result("1", "They said no.", "denied")])).toMatch(/✗ denied\n +They said no\.\n/u);
  // Nobody decides anything in this test.
  expect(draw([call("1", "Bash", { command: "ls" }), result("1", "", "denied")])).toContain("✗ denied");
});
