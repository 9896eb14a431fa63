/** opencode by its ACP. */

import { join } from "node:path";
import { openAgent } from "../../../src/agents/open-agent.ts";
import { tool } from "../../model-servers/index.ts";
import { PINNED, packageFolder } from "../install.ts";
import { openOpencode } from "../opencode/driver.ts";
import { proveDriver } from "./contract.ts";

proveDriver({
  agent: "opencode",
  title: "opencode",
  canFork: true,
  canList: true,
  writes: (file, words) => tool("write", { filePath: file, content: words }),
  async prepare(sandbox, modelUrl) {
    const { environment } = await openOpencode(sandbox, modelUrl);
    const places = {
      home: sandbox.root,
      env: { ...environment, OPENCODE_PERMISSION: JSON.stringify({ edit: "ask" }) },
    };
    const command = [join(packageFolder(PINNED.opencode), PINNED.opencode.proof)];
    return {
      environment,
      cwd: sandbox.project,
      driver: () => openAgent("opencode", { places, command }),
    };
  },
});
