/**
 * A writer of Continuo was killed in the middle of its bytes: the real agent goes on with the session all the same,
 * and what it sends is what Continuo reads.
 */

import { readFileSync, truncateSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSessionAdapter, type Places } from "../../../src/agents/index.ts";
import { type ModelServer, startModelServer, text } from "../../model-servers/index.ts";
import { proveResumption } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { AGENTS, type Begun } from "./begin.ts";

const FIRST = "What is in the note?";
/** opencode's rows are written in one transaction. */
const WRITERS_OF_LINES = AGENTS.filter(({ agent }) => agent !== "opencode");

describe.each(WRITERS_OF_LINES)("$agent", ({ agent, format, tellsErrors, open }) => {
  let sandbox: Sandbox;
  let server: ModelServer;
  let begun: Begun;
  let places: Places;

  beforeAll(async () => {
    sandbox = await makeSandbox();
    server = await startModelServer({ turns: [{ user: FIRST, answers: [[text("A word.")]] }] });
    begun = await open(sandbox, server.url);
    places = { home: sandbox.root, env: begun.environment };
  });

  afterAll(async () => {
    await server?.close();
    await sandbox?.[Symbol.asyncDispose]();
  });

  test.each([0.25, 0.9])("goes on where %s of an answer is written", async (part) => {
    const { sessionId, sessionFile } = await begun.begin(FIRST);
    const before = readFileSync(sessionFile).length;
    const adapter = openSessionAdapter({ format, sessionFile, sessionId, places });
    await adapter.appendAssistantMessage([
      { type: "text", text: `A long answer. ${"一 word ".repeat(200)}` },
    ]);
    await adapter.close();
    const after = readFileSync(sessionFile).length;
    truncateSync(sessionFile, Math.floor(before + (after - before) * part));
    const resume = (words: string) => begun.resume(words, { sessionId, sessionFile });
    const items = await proveResumption({ agent, places, sessionId, tellsErrors, server, resume });
    expect(items).toContainEqual({ kind: "text", role: "user", text: FIRST });
  });
});
