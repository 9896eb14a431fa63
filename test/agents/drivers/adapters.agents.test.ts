/** Any agent that speaks ACP, by its command alone; and, with `--all-versions`, the adapters of Claude Code, Codex and pi. */

import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AcpDriver } from "../../../src/agents/acp/index.ts";
import { openAgent } from "../../../src/agents/open-agent.ts";
import type { Block } from "../../../src/model/index.ts";
import { startModelServer, tool } from "../../model-servers/index.ts";
import { claudeBinary, openClaude } from "../claude/driver.ts";
import { codexLauncher, openCodex } from "../codex/driver.ts";
import { isWanted, PINNED, packageFolder } from "../install.ts";
import { openOpencode } from "../opencode/driver.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { type Prepared, proveDriver } from "./contract.ts";
import { pi } from "./subjects/pi.ts";

const programOf = (pinned: (typeof PINNED)[keyof typeof PINNED]): string =>
  join(packageFolder(pinned), pinned.proof);
const say = (text: string): readonly Block[] => [{ type: "text", text }];

describe("an agent that is known by its command alone", () => {
  test("is continued by its own list, and tells its history itself", async () => {
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

if (isWanted(PINNED.claudeAcp)) {
  for (const protocol of [1, 2] as const) {
    proveDriver({
      agent: "claude",
      title: `Claude Code by its adapter, version ${protocol} of ACP`,
      canFork: true,
      canList: true,
      writes: (file, words) => tool("Write", { file_path: file, content: words }),
      async prepare(sandbox, modelUrl) {
        const claude = await openClaude(sandbox, modelUrl, "full");
        const environment: Prepared["environment"] = {
          ...claude.environment,
          CLAUDE_CODE_EXECUTABLE: claudeBinary(),
        };
        const places = { home: sandbox.root, env: environment };
        const command = [process.execPath, programOf(PINNED.claudeAcp)];
        return {
          environment,
          command,
          cwd: sandbox.project,
          driver: () => openAgent("claude", { places, command, transport: "acp", protocol }),
        };
      },
    });
  }
}

if (isWanted(PINNED.codexAcp)) {
  proveDriver({
    agent: "codex",
    title: "Codex by its adapter",
    canFork: true,
    canList: true,
    writes: null,
    async prepare(sandbox, modelUrl) {
      const codex = await openCodex(sandbox, modelUrl);
      await chmod(codexLauncher("codex"), 0o755);
      const environment: Prepared["environment"] = {
        ...codex.environment,
        CODEX_PATH: codexLauncher("codex"),
      };
      const places = { home: sandbox.root, env: environment };
      const command = [process.execPath, programOf(PINNED.codexAcp)];
      return {
        environment,
        command,
        cwd: sandbox.project,
        driver: () => openAgent("codex", { places, command, transport: "acp" }),
      };
    },
  });
}

async function preparePi(sandbox: Sandbox, modelUrl: string): Promise<Prepared> {
  const direct = await pi.prepare(sandbox, modelUrl);
  const program = programOf(PINNED.pi);
  await chmod(program, 0o755);
  const environment = { ...direct.environment, PI_ACP_PI_COMMAND: program };
  const places = { home: sandbox.root, env: environment };
  const command = [process.execPath, programOf(PINNED.piAcp)];
  const driver = () => openAgent("pi", { places, command, transport: "acp" });
  return { environment, command, cwd: direct.cwd, driver };
}

if (isWanted(PINNED.piAcp)) {
  proveDriver({ ...pi, title: "pi by its adapter", canFork: false, canList: true, prepare: preparePi });

  test("pi by its adapter: loads with its history, deletes, and what it says of itself is no answer", async () => {
    await using sandbox = await makeSandbox();
    await using server = await startModelServer();
    const { driver, cwd } = await preparePi(sandbox, server.url);
    const agent = (await driver()) as AcpDriver;
    expect(await agent.capabilities()).toEqual({
      ...{ canList: true, canLoad: true, canContinueLast: true, canDelete: true },
      ...{ canResume: false, canFork: false, canClose: false },
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
