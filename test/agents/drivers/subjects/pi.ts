/** pi by its own RPC mode. */

import { join } from "node:path";
import { openAgent } from "../../../../src/drivers/open-agent.ts";
import { tool } from "../../../model-servers/index.ts";
import { PINNED, packageFolder } from "../../install.ts";
import { openPi, type PiVersion } from "../../pi/driver.ts";
import type { Subject } from "../contract.ts";

/** pi itself asks nobody: an extension of its user does. */
const GATE = `
export default function (pi) {
  pi.on("tool_call", async ({ toolName }, { ui }) => {
    if (toolName !== "write" || (await ui.confirm("Allow the tool?", toolName))) return undefined;
    return { block: true, reason: "The person said no." };
  });
}
`;
export const GATE_FILE = ".pi/agent/extensions/gate.js";

export function piOf(version: PiVersion, title: string): Subject {
  return {
    agent: "pi",
    title,
    canFork: true,
    canList: false,
    writes: (file, words) => tool("write", { path: file, content: words }),
    async prepare(sandbox, modelUrl) {
      const { environment } = await openPi(sandbox, modelUrl, version);
      await sandbox.write(GATE_FILE, GATE);
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
