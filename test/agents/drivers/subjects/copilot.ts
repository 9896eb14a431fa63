/** GitHub Copilot CLI through ACP. */

import { openAgent } from "../../../../packages/agents/src/drivers/open-agent.ts";
import { tool } from "../../../model-servers/index.ts";
import { openCopilot } from "../../copilot/driver.ts";
import type { Subject } from "../contract.ts";

export const copilot: Subject = {
  agent: "copilot",
  title: "GitHub Copilot CLI",
  canFork: false,
  canList: true,
  writes: (file, words) => tool("create", { path: file, file_text: words }),
  async prepare(sandbox, modelUrl) {
    const { environment, program } = await openCopilot(sandbox, modelUrl);
    const places = { home: sandbox.root, env: environment };
    return {
      environment,
      cwd: sandbox.project,
      command: program,
      driver: () => openAgent("copilot", { places, command: program }),
    };
  },
};
