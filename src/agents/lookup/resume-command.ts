/** The command by which each agent goes on with a session, in the session's folder. Pure. */

import type { AgentName, ReadableRef } from "../../model/index.ts";

type Resumable = Pick<ReadableRef, "agent" | "sessionId" | "location">;

const COMMANDS: Readonly<Record<AgentName, (session: Resumable) => readonly string[]>> = {
  claude: ({ sessionId }) => ["claude", "--resume", sessionId],
  codex: ({ sessionId }) => ["codex", "resume", sessionId],
  gemini: ({ sessionId }) => ["gemini", "--resume", sessionId],
  // By its path pi finds a session from any folder.
  pi: ({ location }) => ["pi", "--session", location],
  opencode: ({ sessionId }) => ["opencode", "--session", sessionId],
};

export function resumeCommandOf(session: Resumable): readonly string[] {
  return COMMANDS[session.agent](session);
}
