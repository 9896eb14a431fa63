/**
 * If Continuo is killed in the middle of a write, the last message in the session file is incomplete. The real agent
 * still continues the session, and sends the messages that Continuo reads.
 */

import { readFileSync, truncateSync } from "node:fs";
import { openSessionAdapter } from "@continuo/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AppendStage, layOut } from "./append-stage.ts";
import { AGENTS } from "./begin.ts";

const FIRST = "What is in the note?";
/** opencode is left out, because its rows are written in one transaction. */
const WRITERS_OF_LINES = AGENTS.filter(({ agent }) => agent !== "opencode");

describe.each(WRITERS_OF_LINES)("$agent", (subject) => {
  const { format } = subject;
  let laid: AppendStage;

  beforeAll(async () => {
    laid = await layOut(subject, FIRST);
  });

  afterAll(() => laid?.[Symbol.asyncDispose]());

  test.each([0.25, 0.9])("continues a session whose answer is cut off after %s of it", async (part) => {
    const { sessionId, sessionFile } = await laid.begun.begin(FIRST);
    const before = readFileSync(sessionFile).length;
    const adapter = openSessionAdapter({ format, sessionFile, sessionId, places: laid.places });
    await adapter.appendAssistantMessage([
      { type: "text", text: `A long answer. ${"一 word ".repeat(200)}` },
    ]);
    await adapter.close();
    const after = readFileSync(sessionFile).length;
    truncateSync(sessionFile, Math.floor(before + (after - before) * part));
    const items = await laid.prove({ sessionId, sessionFile });
    expect(items).toContainEqual({ kind: "text", role: "user", text: FIRST });
  });
});
