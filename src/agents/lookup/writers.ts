/** The writers, each loaded when it is first needed. */

import type { AgentName } from "../../model/index.ts";
import type { NativeWriter } from "../adapter/index.ts";

const LOADERS: Readonly<Record<AgentName, () => Promise<NativeWriter<unknown>>>> = {
  claude: async () => (await import("../claude/index.ts")).claudeWriter,
  codex: async () => (await import("../codex/index.ts")).codexWriter,
  gemini: async () => (await import("../gemini/index.ts")).geminiWriter,
  opencode: async () => (await import("../opencode/index.ts")).opencodeWriter,
  pi: async () => (await import("../pi/index.ts")).piWriter,
};

export async function writerOf(agent: AgentName): Promise<NativeWriter<unknown>> {
  return await LOADERS[agent]();
}
