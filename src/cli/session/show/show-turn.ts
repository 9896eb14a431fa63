/** One turn of a conversation: from a message up to the next one of the person. */

import {
  type CatalogSession,
  openCatalogSession,
  openTrashed,
  openTrashedOwn,
  TRASHED,
} from "@continuo/agents/catalog";
import { ContinuoError, isContinuoError } from "@continuo/core/model";
import { messageKind } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { locate } from "../../notices/index.ts";
import { createOutput, page, paintFor, type Shell, screenOf } from "../../terminal/index.ts";
import { type BranchStep, everyBranch } from "./branches.ts";
import { drawConversation } from "./conversation.ts";
import { markdownOf } from "./plain.ts";

/** Errors: as `locate`; `not_found` if the session no longer has the message. */
export async function showTurn(id: string, messageId: string, shell: Shell): Promise<number> {
  using all = new DisposableStack();
  const sessions = await openNamed(id, all, shell);
  for (const session of sessions) if (await showIn(session, messageId, shell)) return 0;
  throw new ContinuoError(
    "not_found",
    `the session ${sessions[0]?.details.sessionId} has no message ${messageId}`,
  );
}

/** A deleted session with its sub-agents, or the one session of that name. */
async function openNamed(id: string, all: DisposableStack, shell: Shell): Promise<readonly CatalogSession[]> {
  if (!id.startsWith(TRASHED)) return [all.use(await openCatalogSession(await locate(id, shell), shell))];
  const trashId = id.slice(TRASHED.length);
  try {
    const { session, others } = all.use(await openTrashed(trashId, placesOf(shell)));
    return [session, ...others];
  } catch (error) {
    const own = isContinuoError(error, "not_found") ? await openTrashedOwn(trashId, shell) : null;
    if (own === null) throw error;
    return [all.use(own)];
  }
}

/** True if the session has the message. */
async function showIn(session: CatalogSession, messageId: string, shell: Shell): Promise<boolean> {
  const steps = await Array.fromAsync(turnFrom(session, messageId));
  if (steps.length === 0) return false;
  const screen = screenOf(shell, shell.stdout);
  if (screen.isTerminal) {
    const { columns } = screen;
    const options = { columns, paint: paintFor(screen), home: shell.home };
    const view = { tools: "full", injected: "show" } as const;
    const { chunks } = drawConversation(session, each(steps), { ...options, view });
    await page(chunks, { shell, screen, opening: { at: "start" } });
  } else {
    const output = createOutput(shell.stdout);
    const view = { tools: "full", injected: "show" } as const;
    for await (const chunk of markdownOf(session, each(steps), view)) await output.write(chunk);
  }
  return true;
}

async function* turnFrom(session: CatalogSession, messageId: string): AsyncGenerator<BranchStep, void, void> {
  let isShown = false;
  for await (const step of everyBranch(session)) {
    const { message } = step;
    if (isShown && messageKind(message) === "person") return;
    isShown ||= message.id === messageId;
    if (isShown) yield step;
  }
}

async function* each(steps: readonly BranchStep[]): AsyncGenerator<BranchStep, void, void> {
  yield* steps;
}
