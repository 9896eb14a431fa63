/**
 * Asks the person for permissions, one after another, and waits for a key. The person can only answer "no" until the
 * complete request was shown.
 */

import type { AskPermission } from "@continuo/agents/drivers/link";
import type { PermissionDecision, PermissionRequest } from "@continuo/core/model";
import { answerOf, drawRequest, oneKeyIn } from "./drawing/index.ts";
import type { TurnPrinter } from "./turn-printer.ts";

export interface PermissionPromptOptions {
  readonly teller: TurnPrinter;
  /** The next keys that the person presses; with `text`, pasted words too. Rejects when the signal aborts. */
  readonly nextKey: (signal: AbortSignal, wanted?: "text") => Promise<string>;
  /** A question without an answer after this time is denied. */
  readonly timeLimitMs: () => number;
}

export function createPermissionPrompt(options: PermissionPromptOptions): AskPermission {
  const { teller, timeLimitMs } = options;
  let before: Promise<unknown> = Promise.resolve();
  return (request, { signal }) => {
    const deadline = performance.now() + timeLimitMs();
    const answer = before.then(async (): Promise<PermissionDecision> => {
      signal.throwIfAborted();
      await teller.until(request.approvalId);
      try {
        return await ask(request, { ...options, deadline, signal });
      } finally {
        teller.ask(null);
      }
    });
    before = answer.catch(() => undefined);
    return answer;
  };
}

interface OpenQuestion extends PermissionPromptOptions {
  readonly deadline: number;
  readonly signal: AbortSignal;
}

async function ask(request: PermissionRequest, asked: OpenQuestion): Promise<PermissionDecision> {
  const { teller, nextKey, deadline, signal } = asked;
  const { shown, hidden } = drawRequest(request, teller.pen);
  let unseen = hidden.length;
  if (shown.length > 0) await teller.print(shown);
  for (;;) {
    teller.ask({ request, deadline, hidden: unseen, comment: null });
    const key = oneKeyIn(await nextKey(signal));
    if (key === null) continue;
    if (key.toLowerCase() === "v" && unseen > 0) {
      unseen = 0;
      await teller.print(hidden);
    } else if (key.toLowerCase() === "c" && request.readsReason === true) {
      const reason = await readReason(request, { ...asked, hidden: unseen });
      const decision = answerOf("n", request);
      if (reason !== null && decision !== null) return reason === "" ? decision : { ...decision, reason };
    } else {
      const decision = answerOf(key, request);
      if (decision?.outcome === "denied" || (decision !== null && unseen === 0)) return decision;
    }
  }
}

const MAX_REASON_CHARS = 2_000;

/** `null` when the person goes back. */
async function readReason(
  request: PermissionRequest,
  { teller, nextKey, deadline, signal, hidden }: OpenQuestion & { readonly hidden: number },
): Promise<string | null> {
  let comment = "";
  for (;;) {
    teller.ask({ request, deadline, hidden, comment });
    const keys = await nextKey(signal, "text");
    if (keys === "\u001b") return null;
    // An arrow key or a similar key changes nothing.
    if (keys.startsWith("\u001b")) continue;
    for (const char of keys) {
      if (char === "\r" || char === "\n") return comment.trim();
      if (char === "\u007f" || char === "\b") comment = comment.slice(0, -1);
      else if (char >= " " && comment.length < MAX_REASON_CHARS) comment += char;
    }
  }
}
