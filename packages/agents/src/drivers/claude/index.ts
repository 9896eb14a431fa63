/**
 * The driver of Claude Code: one `claude` process per native session, with JSON lines and a control protocol.
 *
 * Promises: those of `AgentDriver`; the session that Claude Code reports is checked before the first turn.
 * Does not know: Claude Code's files, except for the mark of a running process; who decides a permission.
 */

import type { AgentDriver } from "@continuo/core/model";
import { createDriverByHelp, type DriverOptions, type ProgramName } from "../link/index.ts";
import { capabilitiesIn } from "./capabilities.ts";
import { AGENT, ClaudeLink } from "./link.ts";

export const CLAUDE_PROGRAM: ProgramName = {
  agent: AGENT,
  name: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
};

/** Neither `--help` nor `--version` writes a file (2.1.330). */
export function createClaudeDriver(options: DriverOptions): AgentDriver {
  const createLink = (parts: ConstructorParameters<typeof ClaudeLink>[0]) => new ClaudeLink(parts);
  const needs = "--input-format";
  return createDriverByHelp(
    { name: "claude", program: CLAUDE_PROGRAM, needs, capabilitiesIn, createLink },
    options,
  );
}
