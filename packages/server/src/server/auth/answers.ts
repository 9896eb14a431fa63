/**
 * Counts the bytes of answers that are being sent for each token. A client that does not read them must wait for its
 * next answer.
 */

import { ContinuoError } from "@continuo/core/model";
import { type Answer, LIMITS } from "../context/index.ts";

export interface AnswerLimits {
  readonly answerBytesAtOnce: number;
  readonly answerWaitMs: number;
}

interface Token {
  held: number;
  /** Answers that wait for room, in the order in which they came. */
  readonly waiting: Set<WaitingAnswer>;
}

interface WaitingAnswer {
  readonly more: number;
  /** Bytes that the same answer already holds. */
  readonly own: number;
  readonly admit: () => void;
}

export class Answers {
  readonly #limits: AnswerLimits;
  readonly #tokens = new Map<string, Token>();

  constructor(limits: AnswerLimits = LIMITS) {
    this.#limits = limits;
  }

  /** @param name of the token. Errors: `rate_limited` if no room became free within `answerWaitMs`. */
  async open(name: string, bytes: number): Promise<Answer> {
    let held = 0;
    let isOpen = true;
    const resize = async (wanted: number): Promise<void> => {
      const more = (isOpen ? wanted : 0) - held;
      if (more > 0) await this.#take(name, more, held);
      else this.#give(name, -more);
      held += more;
      // The answer was closed while it waited.
      if (!isOpen && held > 0) await resize(0);
    };
    await resize(bytes);
    return {
      resize,
      [Symbol.dispose]: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#give(name, held);
        held = 0;
      },
    };
  }

  async #take(name: string, more: number, own: number): Promise<void> {
    const token = this.#tokens.get(name) ?? { held: 0, waiting: new Set() };
    this.#tokens.set(name, token);
    if (token.waiting.size > 0 || !this.#hasRoom(token, { more, own }))
      await this.#turn(token, { more, own });
    else token.held += more;
  }

  /** An answer that is larger than the limit has room if it is the only one. */
  #hasRoom({ held }: Token, { more, own }: Omit<WaitingAnswer, "admit">): boolean {
    return held - own === 0 || held + more <= this.#limits.answerBytesAtOnce;
  }

  #turn(token: Token, asked: Omit<WaitingAnswer, "admit">): Promise<void> {
    const { answerBytesAtOnce: limit, answerWaitMs } = this.#limits;
    return new Promise((resolve, reject) => {
      const waiting: WaitingAnswer = {
        ...asked,
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        token.waiting.delete(waiting);
        reject(
          new ContinuoError(
            "rate_limited",
            `clients with this token have not read ${limit} bytes of answers yet`,
            {
              details: { limit, retryAfterMs: 1_000 },
            },
          ),
        );
      }, answerWaitMs);
      token.waiting.add(waiting);
    });
  }

  #give(name: string, bytes: number): void {
    const token = this.#tokens.get(name);
    if (token === undefined) return;
    token.held -= bytes;
    for (const one of token.waiting) {
      if (!this.#hasRoom(token, one)) break;
      token.waiting.delete(one);
      token.held += one.more;
      one.admit();
    }
    if (token.held === 0 && token.waiting.size === 0) this.#tokens.delete(name);
  }
}
