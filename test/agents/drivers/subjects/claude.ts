/** Claude Code by its own `claude`. */

import { openAgent } from "../../../../src/agents/open-agent.ts";
import { tool } from "../../../model-servers/index.ts";
import { claudeBinary, openClaude } from "../../claude/driver.ts";
import type { Subject } from "../contract.ts";

export const claude: Subject = {
  agent: "claude",
  title: "Claude Code",
  canFork: true,
  canList: false,
  writes: (file, words) => tool("Write", { file_path: file, content: words }),
  async prepare(sandbox, modelUrl) {
    const { environment } = await openClaude(sandbox, modelUrl, "full");
    const places = { home: sandbox.root, env: environment };
    const command = [claudeBinary()];
    return {
      environment,
      cwd: sandbox.project,
      command,
      driver: () => openAgent("claude", { places, command }),
    };
  },
};
