/** pi through its own RPC mode. */

import { join } from "node:path";
import { openAgent } from "../../../../packages/agents/src/drivers/open-agent.ts";
import { tool } from "../../../model-servers/index.ts";
import { PINNED, packageFolder } from "../../install.ts";
import { openPi, type PiVersion } from "../../pi/driver.ts";
import type { Subject } from "../contract.ts";

export function piOf(version: PiVersion, title: string): Subject {
  return {
    agent: "pi",
    title,
    canFork: true,
    canList: false,
    writes: (file, words) => tool("write", { path: file, content: words }),
    async prepare(sandbox, modelUrl) {
      const { environment } = await openPi(sandbox, modelUrl, version);
      const places = { home: sandbox.root, env: environment };
      const pinned = PINNED[version];
      const command = [process.execPath, join(packageFolder(pinned), pinned.proof)];
      return {
        environment,
        cwd: sandbox.project,
        command,
        driver: () => openAgent("pi", { places, command }),
      };
    },
  };
}

export const pi: Subject = piOf("pi", "pi");
