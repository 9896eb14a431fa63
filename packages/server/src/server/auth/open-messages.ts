/**
 * The messages of each token whose runs have not ended. A run that waits for a person has not ended, so one person cannot
 * take all of the runs that may wait.
 */

import { ContinuoError, keepNewest } from "@continuo/core/model";
import type { SendAttempt } from "../context/index.ts";

/** The ended runs of a token are looked for at most once in this time. */
const LOOK_MS = 1_000;
/** Tokens whose messages are counted; those that sent nothing for the longest time are forgotten. */
const MAX_TOKENS = 10_000;

interface Use {
  /** Ids of runs, and a symbol for each message that is being sent. */
  readonly open: Set<string | symbol>;
  lookedAt: number;
}

export class OpenMessages {
  readonly #most: number;
  readonly #uses = new Map<string, Use>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Errors: `rate_limited`; those of sending. */
  async send<T extends { readonly runId: string; readonly status: string }>(
    tokenId: string,
    attempt: SendAttempt<T>,
  ): Promise<T> {
    const use = this.#useOf(tokenId);
    if (use.open.size >= this.#most) await removeEnded(use, attempt);
    if (use.open.size >= this.#most && !(await attempt.exists())) throw tooMany(this.#most);
    const place = Symbol("sending");
    use.open.add(place);
    try {
      const sent = await attempt.send();
      if (OPEN.includes(sent.status)) use.open.add(sent.runId);
      return sent;
    } finally {
      use.open.delete(place);
    }
  }

  #useOf(tokenId: string): Use {
    const use = this.#uses.get(tokenId) ?? { open: new Set(), lookedAt: Number.NEGATIVE_INFINITY };
    this.#uses.delete(tokenId);
    this.#uses.set(tokenId, use);
    keepNewest(this.#uses, MAX_TOKENS);
    return use;
  }
}

const OPEN: readonly string[] = ["pending", "running"];

async function removeEnded(use: Use, { hasEnded }: Pick<SendAttempt<never>, "hasEnded">): Promise<void> {
  const now = performance.now();
  if (now - use.lookedAt < LOOK_MS) return;
  use.lookedAt = now;
  for (const run of [...use.open]) {
    if (typeof run === "string" && (await hasEnded(run))) use.open.delete(run);
  }
}

function tooMany(limit: number): ContinuoError {
  return new ContinuoError("rate_limited", `${limit} messages have no complete answer yet`, {
    hint: "Wait for an answer, or answer a question of an agent, and send the message again.",
    details: { what: "open_messages", limit, retryAfterMs: LOOK_MS },
  });
}
