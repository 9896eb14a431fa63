/** Claude Code, Codex and pi through their adapters, which speak ACP; they run only with `--all-versions`. */

import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { openAgent } from "../../../../packages/agents/src/drivers/open-agent.ts";
import { tool } from "../../../model-servers/index.ts";
import { claudeBinary, openClaude } from "../../claude/driver.ts";
import { codexLauncher, openCodex } from "../../codex/driver.ts";
import { PINNED, packageFolder } from "../../install.ts";
import type { AgentSetup, Subject } from "../contract.ts";
import { codex } from "./codex.ts";
import { pi } from "./pi.ts";

export const programOf = (pinned: (typeof PINNED)[keyof typeof PINNED]): string =>
  join(packageFolder(pinned), pinned.proof);

export function claudeByAcp(protocol: 1 | 2): Subject {
  return {
    agent: "claude",
    title: `Claude Code by its adapter, version ${protocol} of ACP`,
    canFork: true,
    canList: true,
    writes: (file, words) => tool("Write", { file_path: file, content: words }),
    async prepare(sandbox, modelUrl) {
      const claude = await openClaude(sandbox, modelUrl, "full");
      const environment: AgentSetup["environment"] = {
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
  };
}

export function codexByAcp(protocol: 1 | 2): Subject {
  return {
    ...codex,
    title: `Codex by its adapter, version ${protocol} of ACP`,
    async prepare(sandbox, modelUrl) {
      const codexHome = await openCodex(sandbox, modelUrl);
      await chmod(codexLauncher("codex"), 0o755);
      const environment: AgentSetup["environment"] = {
        ...codexHome.environment,
        CODEX_PATH: codexLauncher("codex"),
      };
      // The adapter does not read the sandbox settings of Codex.
      const env = { INITIAL_AGENT_MODE: "read-only" };
      const places = { home: sandbox.root, env: environment };
      const command = [process.execPath, programOf(PINNED.codexAcp)];
      return {
        environment,
        command,
        cwd: sandbox.project,
        driver: () => openAgent("codex", { places, command, transport: "acp", env, protocol }),
      };
    },
  };
}

export const piByAcp: Subject = {
  ...pi,
  title: "pi by its adapter",
  // The adapter cannot be configured to ask.
  writes: null,
  permissions: "unrestricted",
  canFork: false,
  canList: true,
  async prepare(sandbox, modelUrl) {
    const direct = await pi.prepare(sandbox, modelUrl);
    const program = programOf(PINNED.pi);
    await chmod(program, 0o755);
    const environment = { ...direct.environment, PI_ACP_PI_COMMAND: program };
    const places = { home: sandbox.root, env: environment };
    const command = [process.execPath, programOf(PINNED.piAcp)];
    const driver = () => openAgent("pi", { places, command, transport: "acp" });
    return { environment, command, cwd: direct.cwd, driver };
  },
};
