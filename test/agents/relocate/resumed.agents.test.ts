/**
 * Sessions that the real agents began in a project that was then renamed: after `continuo relocate` each agent lists
 * its session in the new folder, resumes it there with its messages, and works in the new folder.
 */

import { renameSync } from "node:fs";
import { join } from "node:path";
import { lookUpSession, type Places } from "@continuo/agents";
import { relocateProject } from "@continuo/native/editing";
import { describe, expect, test } from "vitest";
import { startModelServer, text } from "../../model-servers/index.ts";
import { MOVED_AGENTS } from "../../move/machines.ts";
import { AGENTS, writtenOf } from "../append/begin.ts";
import { proveResumption } from "../proof.ts";
import { makeSandbox } from "../sandbox.ts";

const FIRST = "What does the timer do?";
const RELOCATED: readonly string[] = MOVED_AGENTS;

describe.each(AGENTS.filter(({ agent }) => RELOCATED.includes(agent)))("$agent", ({ agent, open }) => {
  test("resumes a session in the folder that its project was moved to", async () => {
    await using sandbox = await makeSandbox();
    await using server = await startModelServer({ turns: [{ user: FIRST, answers: [[text("It stops.")]] }] });
    const begun = await open(sandbox, server.url);
    const { sessionId } = await begun.begin(FIRST);
    const places: Places = { home: sandbox.root, env: { PATH: process.env.PATH, ...begun.environment } };
    const target = join(sandbox.root, "renamed");
    renameSync(sandbox.project, target);
    await relocateProject(sandbox.project, target, { places, write: "in place" });
    const there = await open({ ...sandbox, project: target }, server.url);
    expect((await there.titles()).has(sessionId)).toBe(true);
    const { found } = await lookUpSession(`${agent}:${sessionId}`, { places });
    const resume = (words: string) => there.resume(words, writtenOf(found));
    const items = await proveResumption({ agent, places, sessionId, server, resume });
    expect(items).toContainEqual({ kind: "text", role: "user", text: FIRST });
    expect(JSON.stringify(server.requests.at(-1))).toContain(target);
  });
});
