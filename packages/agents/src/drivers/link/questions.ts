/** The open questions to a person, by the agent's own ids. The agent's next lines are read while a question is open. */

import type { PermissionDecision } from "@continuo/core/model";
import { askPermission, type PermissionInTurn } from "./permissions.ts";

export interface Question extends Omit<PermissionInTurn, "signal"> {
  /** Sends the answer to the agent. The signal is aborted if the question was withdrawn; some agents wait even then. */
  readonly answer: (decision: PermissionDecision, takenBack: AbortSignal) => void | Promise<void>;
}

export class Questions {
  readonly #asked = new Map<unknown, AbortController>();
  readonly #open = new Set<Promise<void>>();

  /** Returns at once. A failure of the handler fails the turn. */
  ask(id: unknown, question: Question): void {
    const open = this.#ask(id, question)
      .catch((error: Error) => question.turn.fail(error))
      .finally(() => this.#open.delete(open));
    this.#open.add(open);
  }

  /** The agent withdraws a question; an unknown id is ignored. */
  takeBack(id: unknown): void {
    this.#asked.get(id)?.abort();
  }

  takeBackAll(): void {
    for (const one of this.#asked.values()) one.abort();
  }

  /** Withdraws open questions. Resolves when the outcome of each is reported. */
  async end(): Promise<void> {
    this.takeBackAll();
    await Promise.all(this.#open);
  }

  async #ask(id: unknown, { answer, ...asked }: Question): Promise<void> {
    const takenBack = new AbortController();
    this.#asked.set(id, takenBack);
    try {
      const decision = await askPermission({ ...asked, signal: takenBack.signal });
      await answer(decision, takenBack.signal);
    } finally {
      this.#asked.delete(id);
    }
  }
}
