/**
 * Recorded sessions of the other agents are handed over to Copilot. The real Copilot resumes them, and the test
 * compares its request with what Continuo reads.
 */

import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HOME_VARIABLES, handOff } from "@continuo/agents";
import { AGENT_NAMES } from "@continuo/core/model";
import { expect, test } from "vitest";
import { startModelServer } from "../../model-servers/index.ts";
import { tested } from "../../tested-agents.ts";
import { historyOf, proveResumption } from "../proof.ts";
import { makeSandbox } from "../sandbox.ts";
import { copilotPlaces, openCopilot } from "./driver.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures");
const PARALLEL = tested(({ recorded }) => recorded.parallel);
const CASES = AGENT_NAMES.filter((agent) => agent !== "copilot").flatMap((agent) => [
  { agent, name: PARALLEL[agent] },
  { agent, name: "image" },
]);

test.each(CASES)(
  "$agent/$name is resumed with the messages that Continuo reads, and comes back",
  async ({ agent, name }) => {
    await using sandbox = await makeSandbox();
    await using server = await startModelServer({});
    const copilot = await openCopilot(sandbox, server.url);
    const source = join(sandbox.root, "source");
    cpSync(join(FIXTURES, agent, name, "home"), source, { recursive: true });
    const sent = JSON.parse(readFileSync(join(FIXTURES, agent, name, "requests.json"), "utf8"));
    const env = { ...copilotPlaces(copilot), [HOME_VARIABLES[agent]]: source };
    const places = { home: sandbox.root, env };
    const ref = `${agent}:${String(sent.sessionId)}`;
    const programs = { copilot: copilot.program };
    const there = await handOff(ref, { to: "copilot", cwd: sandbox.project, places, programs });
    expect(there.verification).toMatchObject({ by: "copilot --acp", outcome: "same" });
    const sessionId = there.sessionId ?? "";
    const before = await historyOf("copilot", sessionId, places);
    const resume = (words: string) => copilot.say(words, { resume: sessionId });
    await proveResumption({ agent: "copilot", places, sessionId, server, resume });
    const after = await historyOf("copilot", sessionId, places);
    expect(after.slice(0, before.length)).toEqual(before);
    const back = await handOff(`copilot:${sessionId}`, {
      to: agent,
      cwd: sandbox.project,
      places,
      verifyBy: "own",
    });
    expect(back.broughtBack).toMatchObject({ agent, sessionId: sent.sessionId });
  },
);
