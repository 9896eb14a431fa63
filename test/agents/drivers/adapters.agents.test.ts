/**
 * Continuo drives any agent that speaks ACP and is configured only by its command. With `--all-versions`, the tests
 * also cover the adapters of Claude Code, Codex and pi.
 */

import { existsSync } from "node:fs";
import type { Block } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import type { AcpDriver } from "../../../packages/agents/src/drivers/acp/driver.ts";
import { openAgent } from "../../../packages/agents/src/drivers/open-agent.ts";
import { startModelServer } from "../../model-servers/index.ts";
import { isWanted, PINNED } from "../install.ts";
import { openOpencode } from "../opencode/driver.ts";
import { makeSandbox } from "../sandbox.ts";
import { proveDriver } from "./contract.ts";
import { claudeByAcp, codexByAcp, piByAcp, programOf } from "./subjects/adapters.ts";

const say = (text: string): readonly Block[] => [{ type: "text", text }];

describe("an agent that is configured only by its command", () => {
  test("continues the last session of its own list, and sends the history itself", async () => {
    await using sandbox = await makeSandbox();
    await using server = await startModelServer();
    const { environment } = await openOpencode(sandbox, server.url);
    const options = {
      places: { home: sandbox.root, env: environment },
      command: [programOf(PINNED.opencode), "acp"],
    };
    const cwd = sandbox.project;
    const driver = await openAgent("another-agent", options);
    const first = await driver.open({ cwd });
    await Array.fromAsync(first.prompt(say("One. [[text:First.]]")));
    const { items } = await driver.listSessions({ cwd });
    expect(items.map(({ sessionId }) => sessionId)).toEqual([first.sessionId]);
    await first.close();

    const again = await openAgent("another-agent", options);
    await using last = await again.open({ cwd, continueLast: true, wantHistory: true });
    expect(last.resumption).toEqual({
      requested: "continue",
      happened: "native",
      ref: { agent: "another-agent", sessionId: first.sessionId, location: null, cwd },
      verifiedBy: "agent",
      steps: [
        { step: "list by the agent", outcome: "done" },
        { step: "session/load", outcome: "done" },
        { step: "session/resume", outcome: "skipped" },
      ],
    });
    expect(last.history?.map(({ role, content }) => [role, content])).toEqual([
      ["user", say("One. [[text:First.]]")],
      ["assistant", say("First.")],
    ]);
    expect((await Array.fromAsync(last.prompt(say("Two. [[text:Second.]]")))).at(-1)).toMatchObject({
      type: "turn_completed",
      stopReason: "end_turn",
    });
  });
});

if (isWanted(PINNED.claudeAcp)) for (const protocol of [1, 2] as const) proveDriver(claudeByAcp(protocol));

if (isWanted(PINNED.codexAcp)) for (const protocol of [1, 2] as const) proveDriver(codexByAcp(protocol));

if (isWanted(PINNED.piAcp)) {
  proveDriver(piByAcp);

  test("pi through its adapter loads a session with its history and deletes it, and the adapter's notices are no answer", async () => {
    await using sandbox = await makeSandbox();
    await using server = await startModelServer();
    const { driver, cwd } = await piByAcp.prepare(sandbox, server.url);
    const agent = (await driver()) as AcpDriver;
    expect(await agent.capabilities()).toEqual({
      canList: true,
      canLoad: true,
      canContinueLast: true,
      canDelete: true,
      canResume: false,
      canFork: false,
      canClose: false,
    });
    const first = await agent.open({ cwd });
    const events = await Array.fromAsync(first.prompt(say("One. [[text:First.]]")));
    expect(events.filter(({ type }) => type === "text")).toEqual([{ type: "text", delta: "First." }]);
    await first.close();
    const { sessionId } = first;
    const loaded = await agent.open({ cwd, resumeSessionId: sessionId });
    expect(loaded.resumption.steps).toEqual([
      { step: "session/resume", outcome: "not offered" },
      { step: "session/load", outcome: "done" },
    ]);
    await loaded.close();
    const told = await agent.open({ cwd, resumeSessionId: sessionId, wantHistory: true });
    expect(told.history?.map(({ role, content }) => [role, content])).toEqual([
      ["user", say("One. [[text:First.]]")],
      ["assistant", say("First.")],
    ]);
    await told.close();
    const { location } = first.resumption.ref ?? {};
    expect([location, existsSync(String(location))]).toEqual([expect.any(String), true]);
    await agent.deleteSession(sessionId, { cwd });
    expect(existsSync(String(location))).toBe(false);
    expect((await agent.listSessions({ cwd })).items).toEqual([]);
  });
}
