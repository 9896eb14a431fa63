/** The folder of a conversation, which must exist. */

import { ContinuoError, handOffCommand, isAgentName } from "@continuo/core/model";
import { isFolder } from "@continuo/files";

/** A session that works in the folder, and the agent that would continue it in another one. */
interface FolderMismatch {
  readonly agent: string;
  readonly sessionId: string;
  readonly to: string;
}

/** Errors: `not_found`; the hint names the session, if there is one. */
export function folderOf(cwd: string, session: FolderMismatch | null): string {
  if (isFolder(cwd)) return cwd;
  throw new ContinuoError("not_found", `there is no folder ${cwd}`, {
    hint: session === null ? "Create it, or name another one with --cwd DIR." : elsewhere(session),
  });
}

function elsewhere({ to, ...session }: FolderMismatch): string {
  const command = handOffCommand(session, isAgentName(to) ? to : "AGENT");
  return `Create it again, or continue in another folder: ${command}.`;
}
