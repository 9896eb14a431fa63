/** Shows a session as a film: its messages up to one of them. Only messages around that one are loaded. */

import { type HistoryWindow, historyPath, type WindowMessage } from "@continuo/core/wire/machine";
import { batch, type Signal, signal } from "@preact/signals";
import type { ReplayedLog } from "../parts/replay.tsx";
import { ask, isAbort, sayError } from "../state/server.ts";
import type { SessionState } from "./session-state.ts";

const WINDOW = 60;

export class FilmState implements ReplayedLog {
  /** The number of messages up to the shown one; `null` for the end. */
  readonly at: Signal<number | null>;
  readonly latest: Signal<number> = signal(0);
  readonly failure: Signal<string | null> = signal(null);
  /** The messages around the place, without a gap. */
  readonly loaded: Signal<readonly WindowMessage[]> = signal([]);
  readonly #session: SessionState;
  readonly #stop = new AbortController();

  constructor(session: SessionState, at: number | null) {
    this.#session = session;
    this.at = signal(at);
  }

  get isAtEnd(): boolean {
    return this.at.value === null;
  }

  /** The last loaded messages before the place. */
  shown(): readonly WindowMessage[] {
    const end = this.at.value ?? this.latest.value;
    return this.loaded.value.filter(({ index }) => index !== null && index < end).slice(-WINDOW);
  }

  /** The loaded messages after the place. */
  later(): readonly WindowMessage[] {
    const end = this.at.value ?? this.latest.value;
    return this.loaded.value.filter(({ index }) => index !== null && index >= end);
  }

  async step(by: 1 | -1): Promise<void> {
    await this.goTo((this.at.value ?? this.latest.value) + by);
  }

  async goTo(place: number | null): Promise<void> {
    try {
      await this.#load(place);
      this.failure.value = null;
    } catch (error) {
      if (!isAbort(error)) this.failure.value = sayError(error);
    }
  }

  close(): void {
    this.#stop.abort();
  }

  async #load(place: number | null): Promise<void> {
    if (this.latest.value === 0) await this.#take({}, []);
    const latest = this.latest.value;
    const to = place === null || place >= latest ? null : Math.max(0, place);
    const wanted = Math.max(0, (to ?? latest) - 1);
    if (!this.#has(wanted)) await this.#take({ around: `turn:${await this.#turnAt(wanted)}` }, []);
    // A turn can be longer than one answer.
    while (!this.#has(wanted)) {
      const last = this.loaded.value.at(-1);
      if (last === undefined || (last.index ?? 0) >= wanted) break;
      await this.#take({ after: last.message.id }, this.loaded.value);
    }
    this.at.value = to;
  }

  #has(index: number): boolean {
    return this.loaded.value.some((one) => one.index === index);
  }

  /** The number of the turn of a message. Loads older turns of the outline if they are needed. */
  async #turnAt(index: number): Promise<number> {
    const session = this.#session;
    while (session.outline.value?.hasOlder === true && (session.outline.value.turns[0]?.index ?? 0) > index) {
      await session.loadOlderTurns();
    }
    return session.outline.value?.turns.findLast((turn) => turn.index <= index)?.number ?? 1;
  }

  async #take(query: Readonly<Record<string, string>>, before: readonly WindowMessage[]): Promise<void> {
    const path = historyPath(this.#session.key, { ...query, ...this.#session.name(), limit: WINDOW });
    const window = await ask<HistoryWindow>(path, { signal: this.#stop.signal });
    batch(() => {
      if (window.total !== null) this.latest.value = window.total;
      this.loaded.value = [...before, ...window.messages].slice(-4 * WINDOW);
    });
  }
}

/** Returns 12 for `film/12`, and `null` for anything else: anybody can have written the address. */
export function filmPlaceIn(part: string): number | null {
  const [name, place = ""] = part.split("/");
  return name === "film" && /^\d{1,9}$/u.test(place) ? Number(place) : null;
}
