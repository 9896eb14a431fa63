/**
 * Sessions that the real agents began on one machine are moved with their work tree to another one. There the agent
 * reads the session back before it is placed, resumes it in the clone, and `git status` and `git diff` show the same.
 */

import { join } from "node:path";
import type { Places } from "@continuo/agents";
import { packMove, placeMove, repositoryOfSession } from "@continuo/agents/handoff/moving";
import { openOutputFile } from "@continuo/files";
import { describe, expect, test } from "vitest";
import { startModelServer, text } from "../../model-servers/index.ts";
import { changeTree, MOVED_AGENTS, shownIn } from "../../move/machines.ts";
import { gitIn } from "../../move/tree-shapes.ts";
import { AGENTS, writtenOf } from "../append/begin.ts";
import { proveResumption } from "../proof.ts";
import { makeSandbox } from "../sandbox.ts";

const FIRST = "What does the timer do?";
const MOVED: readonly string[] = MOVED_AGENTS;

describe.each(AGENTS.filter(({ agent }) => MOVED.includes(agent)))("$agent", ({ agent, program, open }) => {
  test("resumes a moved session in the clone, which has the same changes", async () => {
    await using here = await makeSandbox();
    await using there = await makeSandbox();
    await using server = await startModelServer({ turns: [{ user: FIRST, answers: [[text("It stops.")]] }] });
    const near = gitIn(here.project);
    near.write("src/timer.ts", "export const timer = 1;\n");
    near("add", "--all");
    near("commit", "--quiet", "--message=Begin");
    const begun = await open(here, server.url);
    const places: Places = { home: here.root, env: { PATH: process.env.PATH, ...begun.environment } };
    const source = await begun.begin(FIRST);
    changeTree(near);
    const bundle = join(there.root, "move.bundle");
    {
      using output = await openOutputFile(bundle, { force: false, forbidden: [] });
      const ref = `${agent}:${source.sessionId}`;
      const repository = await repositoryOfSession(ref, { places });
      await packMove(ref, output, { places, repository, packedAt: "2026-11-27T10:00:00.000Z" });
      output.commit();
    }
    const other = await open(there, server.url);
    // opencode creates its database with its first session.
    await other.begin(FIRST);
    const elsewhere: Places = { home: there.root, env: { PATH: process.env.PATH, ...other.environment } };
    const { made, workTree } = await placeMove(bundle, {
      places: elsewhere,
      into: there.project,
      verifyBy: "agent",
      programs: { [agent]: program() },
    });
    expect([made.cwd, workTree?.outcome]).toEqual([there.project, "applied"]);
    expect(made.verification?.by).not.toBe("continuo");
    const far = gitIn(there.project);
    expect(shownIn(far)).toEqual(shownIn(near));
    const written = writtenOf(made);
    const { sessionId } = written;
    expect((await other.titles()).has(sessionId)).toBe(true);
    const resume = (words: string) => other.resume(words, written);
    const items = await proveResumption({ agent, places: elsewhere, sessionId, server, resume });
    expect(items).toContainEqual({ kind: "text", role: "user", text: FIRST });
    expect(JSON.stringify(server.requests.at(-1))).toContain(there.project);
    expect(shownIn(far)).toEqual(shownIn(near));
  });
});
