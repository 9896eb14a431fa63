/** Agents whose own protocol is better than ACP; each driver is loaded at its first use. */

import type { AgentDriver, AgentName } from "@continuo/core/model";
import type { DriverOptions, ProgramName } from "./link/index.ts";

interface NativeDriver {
  readonly program: ProgramName;
  create(options: DriverOptions): AgentDriver;
}

export const NATIVE_DRIVERS: Readonly<Partial<Record<AgentName, () => Promise<NativeDriver>>>> = {
  claude: async () => {
    const { CLAUDE_PROGRAM, createClaudeDriver } = await import("./claude/index.ts");
    return { program: CLAUDE_PROGRAM, create: createClaudeDriver };
  },
  codex: async () => {
    const { CODEX_PROGRAM, createCodexDriver } = await import("./codex/index.ts");
    return { program: CODEX_PROGRAM, create: createCodexDriver };
  },
  pi: async () => {
    const { createPiDriver, PI_PROGRAM } = await import("./pi/index.ts");
    return { program: PI_PROGRAM, create: createPiDriver };
  },
};
