/** Claude Code through its own program `claude`, without an adapter. */

import { openAgent } from "../../../../packages/agents/src/drivers/open-agent.ts";
import { tool } from "../../../model-servers/index.ts";
import { type ClaudeVersion, claudeBinary, openClaude } from "../../claude/driver.ts";
import type { Subject } from "../contract.ts";

export function claudeOf(version: ClaudeVersion, title: string): Subject {
  return {
    agent: "claude",
    title,
    canFork: true,
    canList: false,
    writes: (file, words) => tool("Write", { file_path: file, content: words }),
    async prepare(sandbox, modelUrl) {
      const { environment } = await openClaude(sandbox, modelUrl, "full", version);
      const places = { home: sandbox.root, env: environment };
      const command = [claudeBinary(version)];
      return {
        environment,
        cwd: sandbox.project,
        command,
        driver: () => openAgent("claude", { places, command }),
      };
    },
  };
}

export const claude: Subject = claudeOf("claude", "Claude Code");
