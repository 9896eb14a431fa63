/** Older versions of agents that have a protocol of their own; wanted with `--all-versions` alone. */

import { join } from "node:path";
import { openAgent } from "../../../../src/agents/open-agent.ts";
import { claudeBinary, openClaude } from "../../claude/driver.ts";
import { codexLauncher, openCodex } from "../../codex/driver.ts";
import { isWanted, PINNED, packageFolder } from "../../install.ts";
import { openPi, type PiVersion } from "../../pi/driver.ts";
import type { Subject } from "../contract.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { pi } from "./pi.ts";

const claude197: Subject = {
  ...claude,
  title: "Claude Code 2.1.197",
  async prepare(sandbox, modelUrl) {
    const { environment } = await openClaude(sandbox, modelUrl, "full", "claude2197");
    const places = { home: sandbox.root, env: environment };
    const command = [claudeBinary("claude2197")];
    const driver = () => openAgent("claude", { places, command });
    return { environment, cwd: sandbox.project, command, driver };
  },
};

const codex163: Subject = {
  ...codex,
  title: "Codex 0.163.0",
  writes: null,
  async prepare(sandbox, modelUrl) {
    const { environment } = await openCodex(sandbox, modelUrl, "codex163");
    const places = { home: sandbox.root, env: environment };
    const command = [process.execPath, codexLauncher("codex163")];
    const driver = () => openAgent("codex", { places, command });
    return { environment, cwd: sandbox.project, command, driver };
  },
};

const piOf = (version: PiVersion): Subject => ({
  ...pi,
  title: `pi ${PINNED[version].version}`,
  writes: null,
  async prepare(sandbox, modelUrl) {
    const { environment } = await openPi(sandbox, modelUrl, version);
    const places = { home: sandbox.root, env: environment };
    const command = [process.execPath, join(packageFolder(PINNED[version]), PINNED[version].proof)];
    const driver = () => openAgent("pi", { places, command });
    return { environment, cwd: sandbox.project, command, driver };
  },
});

export const OLDER: readonly Subject[] = [
  ...(isWanted(PINNED.claude2197) ? [claude197] : []),
  ...(isWanted(PINNED.codex163) ? [codex163] : []),
  ...(isWanted(PINNED.pi087) ? [piOf("pi087")] : []),
  ...(isWanted(PINNED.pi073) ? [piOf("pi073")] : []),
];
