/**
 * Continuo appends to sessions that the real agents began, and the agents continue these sessions. The appended
 * messages are in the agent's next request, and Continuo's model view of the whole session equals that request.
 */

import { openSessionAdapter, type SessionAdapter } from "@continuo/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AppendStage, layOut } from "./append-stage.ts";
import { AGENTS } from "./begin.ts";

const FIRST = "What is in the note?";
const RESULT = "three notes, 你好";

describe.each(AGENTS)("$agent", (subject) => {
  const { format, longResultChars } = subject;
  let laid: AppendStage;

  beforeAll(async () => {
    laid = await layOut(subject, FIRST);
  });

  afterAll(() => laid?.[Symbol.asyncDispose]());

  test("continues with messages that were appended to its own session", async () => {
    const { sessionId, sessionFile } = await laid.begun.begin(FIRST);
    const adapter = openSessionAdapter({ format, sessionFile, sessionId, places: laid.places });
    await appendThree(adapter);
    await adapter.close();
    const items = await laid.prove({ sessionId, sessionFile });
    expect(items.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["text", "call", "result"]));
    expectThree(items);
    expect(items).toContainEqual({ kind: "text", role: "user", text: FIRST });
  });

  test("continues with a long result, and sends all of it", async () => {
    const { sessionId, sessionFile } = await laid.begun.begin(FIRST);
    await using adapter = openSessionAdapter({ format, sessionFile, sessionId, places: laid.places });
    await appendThree(adapter, `${RESULT} ${"一 long line. ".repeat(longResultChars / 13)}`);
    await adapter.appendAssistantMessage("That is long.");
    await adapter.close();
    const items = await laid.prove({ sessionId, sessionFile });
    const result = items.find((item) => item.kind === "result");
    expect(result?.kind === "result" ? result.text.length : 0).toBeGreaterThan(longResultChars * 0.95);
  });

  test("continues a session that ends with a message of the person", async () => {
    const { sessionId, sessionFile } = await laid.begun.begin(FIRST);
    await using adapter = openSessionAdapter({ format, sessionFile, sessionId, places: laid.places });
    await adapter.appendUserMessage("And in the other one?");
    await adapter.close();
    const items = await laid.prove({ sessionId, sessionFile });
    expect(items).toContainEqual({ kind: "text", role: "user", text: "And in the other one?" });
  });

  test("continues a session that Continuo began", async () => {
    const adapter = openSessionAdapter({
      format,
      places: laid.places,
      ...(laid.begun.database === undefined ? {} : { sessionFile: laid.begun.database }),
      create: { cwd: laid.sandbox.project, title: "Begun here" },
    });
    await appendThree(adapter);
    const { sessionId } = await adapter.getMetadata();
    const { sessionFile } = adapter;
    await adapter.close();
    const items = await laid.prove({ sessionId, sessionFile });
    expectThree(items);
  });
});

async function appendThree(adapter: SessionAdapter, result = RESULT): Promise<void> {
  await adapter.appendUserMessage("How many notes are there?");
  await adapter.appendAssistantMessage([
    { type: "text", text: "I count." },
    { type: "tool_call", id: "call_a1", name: "Count", args: { of: "notes" } },
  ]);
  await adapter.appendToolResult("call_a1", result);
}

function expectThree(items: readonly unknown[]): void {
  const three = items.filter((item) =>
    JSON.stringify(item).match(/How many notes|I count|Count"|three notes/u),
  );
  expect(three).toMatchObject([
    { kind: "text", role: "user", text: "How many notes are there?" },
    { kind: "text", role: "assistant", text: "I count." },
    { kind: "call", id: expect.stringContaining("call_a1"), name: "Count", args: { of: "notes" } },
    { kind: "result", id: expect.stringContaining("call_a1"), text: RESULT },
  ]);
}
