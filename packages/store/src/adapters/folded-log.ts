/**
 * A state in memory that is the fold of a session's log. It is updated before it is read, and a change is appended only
 * if nothing else was appended since the change was decided.
 */

import { isContinuoError, type NewEvent, type StoredEvent } from "@continuo/core/model";
import type { AdapterSession } from "./adapter-session.ts";
import { KeyedQueue } from "./keyed-queue.ts";

export interface FoldedLogOptions<State> {
  readonly initial: () => State;
  /** Changes the state in place. */
  readonly apply: (state: State, event: StoredEvent) => void;
}

export class FoldedLog<State> {
  readonly #session: AdapterSession;
  readonly #options: FoldedLogOptions<State>;
  #state: State;
  #last: { readonly sequence: number; readonly id: string } | null = null;
  readonly #inOrder = new KeyedQueue();

  constructor(session: AdapterSession, options: FoldedLogOptions<State>) {
    this.#session = session;
    this.#options = options;
    this.#state = options.initial();
  }

  /** `look` receives the state with everything that is stored; the state does not change until `look` returns. */
  read<Result>(look: (state: State) => Result): Promise<Result> {
    return this.#inOrder.run(this.#session.sessionId, async () => {
      await this.#catchUp();
      return look(this.#state);
    });
  }

  /**
   * Appends the events that `decide` returns for the newest state, all of them or none; `decide` is called again if
   * another writer was faster. An error of the function is thrown, and an empty list appends nothing.
   */
  change<Result>(
    decide: (state: State) => { readonly events: readonly NewEvent[]; readonly result: Result },
  ): Promise<Result> {
    return this.#inOrder.run(this.#session.sessionId, async () => {
      for (;;) {
        await this.#catchUp();
        const { events, result } = decide(this.#state);
        if (events.length === 0 || (await this.#isAppended(events))) return result;
      }
    });
  }

  /**
   * Returns false if another writer was faster. A session that another writer has just created already has an event, so
   * this is a conflict too.
   */
  async #isAppended(events: readonly NewEvent[]): Promise<boolean> {
    try {
      await this.#session.append(events, { expectedSequence: this.#last?.sequence ?? 0 });
      return true;
    } catch (error) {
      if (isContinuoError(error, "conflict") && error.details.latestSequence !== undefined) return false;
      throw error;
    }
  }

  async #catchUp(): Promise<void> {
    // The last known event is read again: a different event in its place belongs to a new log with the same name.
    for (let after: number | null = Math.max(0, (this.#last?.sequence ?? 0) - 1); after !== null; ) {
      const page = await this.#session.read({ after });
      const [first, ...rest] = page.events;
      const isKnown = this.#last !== null && after === this.#last.sequence - 1;
      if (isKnown && first?.id !== this.#last?.id) {
        this.#state = this.#options.initial();
        this.#last = null;
        after = 0;
        continue;
      }
      for (const event of isKnown ? rest : page.events) this.#take(event);
      after = page.nextAfter;
    }
  }

  #take(event: StoredEvent): void {
    this.#options.apply(this.#state, event);
    this.#last = { sequence: event.sequence, id: event.id };
  }
}
