/** Puts questions for permission to the person, one after another, and waits for a key. */

import type { AskPermission } from "../../agents/driver/index.ts";
import type { PermissionDecision } from "../../model/index.ts";
import { answerOf, oneKeyIn } from "./drawing/index.ts";
import type { Teller } from "./teller.ts";

export interface AskingOptions {
  readonly teller: Teller;
  /** The next keys that the person presses. Rejects when the signal comes. */
  readonly nextKey: (signal: AbortSignal) => Promise<string>;
  /** Who has not answered then has denied. */
  readonly timeLimitMs: () => number;
}

export function createAsking({ teller, nextKey, timeLimitMs }: AskingOptions): AskPermission {
  let before: Promise<unknown> = Promise.resolve();
  return (request, { signal }) => {
    const deadline = performance.now() + timeLimitMs();
    const answer = before.then(async (): Promise<PermissionDecision> => {
      signal.throwIfAborted();
      await teller.until(request.approvalId);
      teller.ask({ request, deadline });
      try {
        for (;;) {
          const key = oneKeyIn(await nextKey(signal));
          const decision = key === null ? null : answerOf(key, request);
          if (decision !== null) return decision;
        }
      } finally {
        teller.ask(null);
      }
    });
    before = answer.catch(() => undefined);
    return answer;
  };
}
