/** The work of commands for other folders, loaded when it is called for. */

import type { ShownSession } from "../../catalog/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { Conversation, ConversationOptions } from "./conversation.ts";
import type { ExportFlags } from "./export-flags.ts";

/** As `session list`. */
export async function listWork(shell: Shell): Promise<number> {
  return await (await import("./list.ts")).runList({}, shell);
}

/** As `session show`. */
export async function showWork(id: string, shell: Shell): Promise<number> {
  return await (await import("./show.ts")).runShow(id, {}, shell);
}

/** One turn, as `session show` draws it. */
export async function showTurnWork(id: string, messageId: string, shell: Shell): Promise<number> {
  return await (await import("./show-turn.ts")).showTurn(id, messageId, shell);
}

/** As `session export`. */
export async function exportWork(id: string, flags: ExportFlags, shell: Shell): Promise<number> {
  return await (await import("./export.ts")).runExport(id, flags, shell);
}

/** The active branch as `session show` draws it. */
export async function drawWork(session: ShownSession, options: ConversationOptions): Promise<Conversation> {
  const { drawConversation } = await import("./conversation.ts");
  const { stepsOfBranch } = await import("./branches.ts");
  return drawConversation(session, stepsOfBranch(session, undefined), options);
}
