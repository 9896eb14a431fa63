/** opencode through ACP. */

import { join } from "node:path";
import { openAgent } from "../../../../packages/agents/src/drivers/open-agent.ts";
import { tool } from "../../../model-servers/index.ts";
import { PINNED, packageFolder } from "../../install.ts";
import { openOpencode } from "../../opencode/driver.ts";
import type { Subject } from "../contract.ts";

export const opencode: Subject = {
  agent: "opencode",
  title: "opencode",
  canFork: true,
  canList: true,
  writes: (file, words) => tool("write", { filePath: file, content: words }),
  async prepare(sandbox, modelUrl) {
    const { environment } = await openOpencode(sandbox, modelUrl);
    const places = { home: sandbox.root, env: environment };
    const command = [join(packageFolder(PINNED.opencode), PINNED.opencode.proof)];
    return {
      environment,
      cwd: sandbox.project,
      command,
      driver: () => openAgent("opencode", { places, command }),
    };
  },
};
