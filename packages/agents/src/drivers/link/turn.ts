/**
 * One turn: the reader of the agent's protocol pushes events in, `prompt()` takes them out. A push waits while the
 * queue is full, so that the agent's output is read no faster than it is consumed.
 */

import {
  type AgentEvent,
  type ContinuoError,
  jsonLengthAtLeast,
  present,
  type Usage,
} from "@continuo/core/model";

/** A queue with this many events, or with events of this many characters as JSON, is full. */
const MAX_WAITING = 64;
const MAX_WAITING_CHARS = 4_000_000;

export interface TurnOptions {
  /** Asks the agent to stop. `end` or `fail` show whether it did. */
  readonly cancel: () => void | Promise<void>;
  /** Makes the error of a turn whose agent does not stop when it is asked to. */
  readonly stuck: () => ContinuoError;
  readonly cancelMs: number;
  /** Makes the error of a turn in which the agent sends nothing for `silenceMs`. */
  readonly silent: () => ContinuoError;
  readonly silenceMs: number;
  readonly signal?: AbortSignal;
}

type TurnOutcome = { readonly event: AgentEvent } | { readonly error: Error };

/** A turn ends once, and drops events after its end. */
export class AgentTurn {
  readonly #options: TurnOptions;
  readonly #waiting: { readonly event: AgentEvent; readonly chars: number }[] = [];
  #waitingChars = 0;
  /** Events whose writer waits until they are taken. */
  readonly #expected = new Map<AgentEvent, (isTaken: boolean) => void>();
  readonly #done: Promise<void>;
  #finish: () => void = () => undefined;
  #ending: TurnOutcome | null = null;
  #cancelled = false;
  #left = false;
  #paused = 0;
  #silence: NodeJS.Timeout | undefined;
  #stuck: NodeJS.Timeout | undefined;
  /** Wakes the reader of events, and writers that wait for room. */
  #changed = Promise.withResolvers<void>();

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#done = new Promise((finish) => {
      this.#finish = finish;
    });
    this.#listen();
  }

  /** True after somebody asked the agent to stop. */
  get cancelled(): boolean {
    return this.#cancelled;
  }

  get ended(): boolean {
    return this.#ending !== null;
  }

  get #isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING || this.#waitingChars >= MAX_WAITING_CHARS;
  }

  /** Resolves when there is room for the next event. */
  async push(event: AgentEvent): Promise<void> {
    if (this.#ending !== null || this.#left) return;
    const chars = jsonLengthAtLeast(event, MAX_WAITING_CHARS);
    this.#waiting.push({ event, chars });
    this.#waitingChars += chars;
    this.#change();
    this.#listen();
    while (this.#isFull && this.#ending === null && !this.#left) {
      await this.#changed.promise;
    }
    this.#listen();
  }

  /**
   * Pushes an event that must be stored before the agent goes on. Resolves with `true` when the reader asks for the
   * next event, which means that it has stored this one. Resolves with `false` if the turn ends before that, the reader
   * leaves, or the signal aborts.
   */
  async deliver(event: AgentEvent, signal: AbortSignal): Promise<boolean> {
    if (this.#ending !== null || this.#left || signal.aborted) {
      void this.push(event);
      return false;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = (): void => resolve(false);
    signal.addEventListener("abort", giveUp, { once: true });
    this.#expected.set(event, resolve);
    void this.push(event);
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
      this.#expected.delete(event);
    }
  }

  /**
   * While the turn waits for somebody else (a person), the agent may be silent. Call the returned function afterwards.
   */
  pause(): () => void {
    this.#paused += 1;
    this.#listen();
    let over = false;
    return () => {
      if (!over) this.#paused -= 1;
      over = true;
      this.#listen();
    };
  }

  end(stopReason: string, usage?: Usage): void {
    this.#close({ event: present({ type: "turn_completed", stopReason, usage }) });
  }

  /** Events that were pushed before are still delivered. */
  fail(error: Error): void {
    this.#close({ error });
  }

  /** Resolves when the turn is over. Idempotent. */
  async cancel(): Promise<void> {
    if (this.#ending === null && !this.#cancelled) {
      this.#cancelled = true;
      const { cancel, cancelMs, stuck } = this.#options;
      if (Number.isFinite(cancelMs)) this.#stuck = setTimeout(() => this.fail(stuck()), cancelMs);
      try {
        await cancel();
      } catch (error) {
        this.fail(error as Error);
      }
    }
    await this.#done;
  }

  /** The events of the turn, which can be read once. Leaving the loop cancels the turn. */
  async *events(): AsyncGenerator<AgentEvent, void, void> {
    const { signal } = this.#options;
    const stop = (): void => void this.cancel();
    if (signal?.aborted === true) stop();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next !== undefined) {
          const { event, chars } = next;
          this.#waitingChars -= chars;
          this.#change();
          yield event;
          this.#expected.get(event)?.(true);
        } else if (this.#ending === null) {
          await this.#changed.promise;
        } else if ("error" in this.#ending) {
          throw this.#ending.error;
        } else {
          yield this.#ending.event;
          return;
        }
      }
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#left = true;
      this.#waiting.length = 0;
      this.#giveUpExpected();
      this.#change();
      await this.cancel();
    }
  }

  #close(ending: TurnOutcome): void {
    if (this.#ending !== null) return;
    this.#ending = ending;
    clearTimeout(this.#silence);
    clearTimeout(this.#stuck);
    this.#finish();
    this.#giveUpExpected();
    this.#change();
  }

  #giveUpExpected(): void {
    for (const giveUp of this.#expected.values()) giveUp(false);
  }

  #change(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }

  /**
   * Counts the silence of the agent from now. Silence does not count while the queue is full, or while the turn is
   * paused.
   */
  #listen(): void {
    clearTimeout(this.#silence);
    const { silenceMs, silent } = this.#options;
    const counts = this.#ending === null && this.#paused === 0 && !this.#isFull;
    if (!counts || !Number.isFinite(silenceMs)) return;
    this.#silence = setTimeout(() => this.fail(silent()), silenceMs);
  }
}
