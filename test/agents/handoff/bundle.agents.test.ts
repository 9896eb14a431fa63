/**
 * Sessions that the real agents began on one machine continue on another: they are packed, unpacked below another home,
 * and placed in one of its folders. The agent's request on the second machine has the messages of the first one.
 */

import { join } from "node:path";
import { handOff, openSessionAdapter, type Places } from "@continuo/agents";
import { packSession, unpackBundle } from "@continuo/agents/handoff/bundle";
import { openOutputFile } from "@continuo/files";
import { describe, expect, test } from "vitest";
import { startModelServer, text } from "../../model-servers/index.ts";
import { AGENTS, writtenOf } from "../append/begin.ts";
import { countKinds, proveResumption } from "../proof.ts";
import { makeSandbox } from "../sandbox.ts";

const FIRST = "What is in the note?";

describe.each(AGENTS)("$agent", ({ agent, format, open }) => {
  test("continues a session from another machine", async () => {
    await using here = await makeSandbox();
    await using there = await makeSandbox();
    await using server = await startModelServer({ turns: [{ user: FIRST, answers: [[text("A word.")]] }] });
    const begun = await open(here, server.url);
    const places: Places = { home: here.root, env: begun.environment };
    const source = await begun.begin(FIRST);
    {
      await using adapter = openSessionAdapter({ format, ...source, places });
      await adapter.appendUserMessage("And in the other one?");
      await adapter.appendAssistantMessage([
        { type: "text", text: "I look." },
        { type: "tool_call", id: "call_b1", name: "Look", args: { at: "two" } },
      ]);
      await adapter.appendToolResult("call_b1", "a note");
      await adapter.appendAssistantMessage("A note.");
    }
    const bundle = join(there.root, "session.bundle");
    {
      using output = await openOutputFile(bundle, { force: false, forbidden: [] });
      await packSession(`${agent}:${source.sessionId}`, output, {
        places,
        packedAt: "2026-11-22T10:00:00.000Z",
      });
      output.commit();
    }
    const other = await open(there, server.url);
    // opencode creates its database with its first session.
    await other.begin(FIRST);
    const elsewhere: Places = { home: there.root, env: other.environment };
    using unpacked = await unpackBundle(bundle);
    const made = await handOff(unpacked.location, {
      to: agent,
      cwd: there.project,
      places: elsewhere,
      verifyBy: "own",
    });
    const written = writtenOf(made);
    const { sessionId } = written;
    expect((await other.titles()).has(sessionId)).toBe(true);
    const resume = (words: string) => other.resume(words, written);
    const items = await proveResumption({ agent, places: elsewhere, sessionId, server, resume });
    expect(countKinds(items)).toMatchObject({ call: 1, result: 1 });
    expect(items).toContainEqual({ kind: "text", role: "user", text: FIRST });
  });
});
