/** Gemini CLI through ACP. */

import { openAgent } from "../../../../packages/agents/src/drivers/open-agent.ts";
import { tool } from "../../../model-servers/index.ts";
import { geminiProgram, openGemini } from "../../gemini/driver.ts";
import type { Subject } from "../contract.ts";

export const gemini: Subject = {
  agent: "gemini",
  title: "Gemini CLI",
  canFork: false,
  canList: false,
  writes: (file, words) => tool("write_file", { file_path: file, content: words }),
  async prepare(sandbox, modelUrl) {
    const { environment } = await openGemini(sandbox, modelUrl);
    const places = { home: sandbox.root, env: environment };
    const command = [process.execPath, geminiProgram(), "--model", "gemini-2.5-flash"];
    return {
      environment,
      cwd: sandbox.project,
      command,
      driver: () => openAgent("gemini", { places, command }),
    };
  },
};
