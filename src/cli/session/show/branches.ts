/** The messages of one branch, of the model view, or of all branches, each message once. */

import { type CatalogSession, type LookUpHit, messageCounts, modelViewOf } from "@continuo/agents/catalog";
import type { Leaf, Message } from "@continuo/core/model";

export interface BranchStep {
  readonly message: Message;
  /** Set on the first message of a branch that was not shown with an earlier one, if all branches are shown. */
  readonly branch?: { readonly leaf: Leaf; readonly number: number; readonly count: number };
}

/** The active branch if no leaf is named. Errors: `not_found`. */
export async function* stepsOfBranch(
  session: CatalogSession,
  leaf: string | undefined,
): AsyncGenerator<BranchStep, void, void> {
  for await (const message of session.history(leaf === undefined ? {} : { leaf })) yield { message };
}

/**
 * Opens the messages that the agent's model would receive on the next resume, as a session that has only these
 * messages.
 * Errors: as `modelViewOf`; `not_found`.
 */
export async function openModelView(
  located: LookUpHit,
  session: CatalogSession,
  leaf: string | undefined,
): Promise<CatalogSession> {
  const messages = await modelViewOf(located, session, leaf === undefined ? {} : { leaf });
  const blocks = messages.flatMap(({ content }) => content);
  const toolCalls = blocks.filter(({ type }) => type === "tool_call").length;
  return {
    details: { ...session.details, messages: messageCounts(messages), toolCalls },
    leaves: session.leaves,
    problems: session.problems,
    partial: session.partial,
    tools: async (signal) => (await session.tools?.(signal)) ?? [],
    async *history() {
      yield* messages;
    },
  };
}

/** The active branch, then of every other branch the messages that it does not share with earlier ones. */
export async function* everyBranch(session: CatalogSession): AsyncGenerator<BranchStep, void, void> {
  const count = session.leaves.length;
  if (count < 2) {
    yield* stepsOfBranch(session, undefined);
    return;
  }
  const seen = new Set<string>();
  for (const [at, leaf] of session.leaves.entries()) {
    let isFirst = true;
    for await (const message of session.history({ leaf: leaf.id })) {
      if (seen.has(message.id)) continue;
      seen.add(message.id);
      yield isFirst ? { message, branch: { leaf, number: at + 1, count } } : { message };
      isFirst = false;
    }
  }
}
