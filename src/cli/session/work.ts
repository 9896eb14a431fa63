/** Offers the commands of this folder to callers in other folders. Each command is loaded when it is called. */

import type { CatalogSession, LookUpHit } from "@continuo/agents/catalog";
import { present } from "@continuo/core/model";
import type { Shell } from "../terminal/index.ts";
import type { ExportFlags, ExportFormat } from "./export/index.ts";
import type { Conversation, ConversationOptions } from "./show/index.ts";

/** Runs `session list`. */
export async function listWork(shell: Shell): Promise<number> {
  return await (await import("./list/index.ts")).runList([], {}, shell);
}

/** Runs `session show`. */
export async function showWork(id: string, shell: Shell): Promise<number> {
  return await (await import("./show/index.ts")).runShow(id, {}, shell);
}

/** Prints one turn as `session show` draws it. */
export async function showTurnWork(id: string, messageId: string, shell: Shell): Promise<number> {
  return await (await import("./show/index.ts")).showTurn(id, messageId, shell);
}

/** Runs `session export` with `write` as the target. */
export async function exportToWork(
  located: LookUpHit,
  { format, secrets }: { readonly format: ExportFormat; readonly secrets?: "masked" },
  { write, shell }: { readonly write: (text: string) => Promise<void>; readonly shell: Shell },
): Promise<void> {
  const { writeExport } = await import("./export/index.ts");
  const wish = present({ format, maskSecrets: secrets === undefined ? undefined : (true as const) });
  // A server runs long after its shell began.
  await writeExport(located, wish, { isClosed: false, write }, { ...shell, now: new Date() });
}

/** Runs `session export`. */
export async function exportWork(id: string, flags: ExportFlags, shell: Shell): Promise<number> {
  return await (await import("./export/index.ts")).runExport(id, flags, shell);
}

/** Runs `session info`. */
export async function infoWork(id: string, shell: Shell): Promise<number> {
  return await (await import("./facts/index.ts")).runInfo(id, {}, shell);
}

/** Runs `session fork --json`. */
export async function forkWork(id: string, shell: Shell): Promise<number> {
  return await (await import("./change/index.ts")).runFork(id, { json: true }, shell);
}

/** Runs `session rename`. */
export async function renameWork(id: string, title: string, shell: Shell): Promise<number> {
  return await (await import("./change/index.ts")).runRename(id, title, shell);
}

/** Runs `session delete --yes --json`. */
export async function deleteWork(ids: readonly string[], shell: Shell): Promise<number> {
  return await (await import("./change/index.ts")).runDelete(ids, { yes: true, json: true }, shell);
}

/** Runs `session restore --json`. */
export async function restoreWork(id: string, shell: Shell): Promise<number> {
  return await (await import("./change/index.ts")).runRestore(id, { json: true }, shell);
}

/** Draws the active branch as `session show` does. */
export async function drawWork(session: CatalogSession, options: ConversationOptions): Promise<Conversation> {
  const { drawConversation } = await import("./show/index.ts");
  const { stepsOfBranch } = await import("./show/index.ts");
  return drawConversation(session, stepsOfBranch(session, undefined), options);
}
