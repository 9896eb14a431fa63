/** Codex through its own `codex app-server`. */

import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { openAgent } from "../../../../packages/agents/src/drivers/open-agent.ts";
import { tool } from "../../../model-servers/index.ts";
import { type CodexVersion, codexLauncher, openCodex } from "../../codex/driver.ts";
import type { Sandbox } from "../../sandbox.ts";
import type { Subject } from "../contract.ts";

export function codexOf(version: CodexVersion, title: string): Subject {
  return {
    agent: "codex",
    title,
    canFork: true,
    canList: true,
    writes: (file, words) =>
      tool("apply_patch", `*** Begin Patch\n*** Add File: ${basename(file)}\n+${words}\n*** End Patch`),
    async prepare(sandbox, modelUrl) {
      const { environment } = await openCodex(sandbox, modelUrl, version);
      await askBeforeWriting(sandbox);
      const places = { home: sandbox.root, env: environment };
      const command = [process.execPath, codexLauncher(version)];
      return {
        environment,
        cwd: sandbox.project,
        command,
        driver: () => openAgent("codex", { places, command }),
      };
    },
  };
}

async function askBeforeWriting(sandbox: Sandbox): Promise<void> {
  const config = await readFile(`${sandbox.root}/.codex/config.toml`, "utf8");
  const asking = config
    .replace('approval_policy = "never"', 'approval_policy = "on-request"')
    .replace('sandbox_mode = "danger-full-access"', 'sandbox_mode = "read-only"');
  await sandbox.write(".codex/config.toml", asking);
}

export const codex: Subject = codexOf("codex", "Codex");
