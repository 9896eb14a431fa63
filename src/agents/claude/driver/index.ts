/**
 * Claude Code, driven through the user's own `claude`: one process for each native session, lines of JSON in and
 * out, permissions and interrupts over its control protocol.
 *
 * Promises: those of `AgentDriver`; the session that it says it is in is checked before the first turn.
 * Does not know: Claude Code's files, but for the mark of a running process; who decides a permission.
 */

import type { AgentDriver } from "../../../model/index.ts";
import {
  beginConversation,
  commandOf,
  type DriverOptions,
  openSession,
  type ProgramName,
} from "../../driver/index.ts";
import { claudeCapabilities } from "./capabilities.ts";
import { AGENT, ClaudeLink, noList } from "./link.ts";

export const CLAUDE_PROGRAM: ProgramName = {
  agent: AGENT,
  name: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
};

export function createClaudeDriver(options: DriverOptions): AgentDriver {
  return {
    agent: "claude",
    async capabilities(call = {}) {
      return (await claudeCapabilities(options, commandOf(options, CLAUDE_PROGRAM), call)).capabilities;
    },
    listSessions: () => Promise.reject(noList()),
    async open(open) {
      const command = commandOf(options, CLAUDE_PROGRAM);
      const { capabilities } = await claudeCapabilities(options, command, open);
      const link = new ClaudeLink({ options, open, command, capabilities });
      const begin = () => openSession(link.ways(open), open, options);
      return await beginConversation({ agent: AGENT, cwd: open.cwd, link, options, open: begin });
    },
  };
}
