/** The sessions at risk in the server's last answer, and those that this page brought back and can hide again. */

import {
  type BringBackAnswer,
  type HiddenRow,
  MACHINE_ROOT,
  type SessionsAtRisk,
} from "@continuo/core/wire/machine";
import { type Signal, signal } from "@preact/signals";
import { ask, sayError } from "../state/server.ts";

export interface HiddenLine {
  readonly row: HiddenRow;
  /** The answer with which this page brought it back, until it is undone. */
  readonly back: BringBackAnswer | null;
}

export class RiskState {
  /** `null` until it is known. */
  readonly answer: Signal<SessionsAtRisk | null> = signal(null);
  readonly lines: Signal<readonly HiddenLine[]> = signal([]);
  readonly failure: Signal<string | null> = signal(null);
  #reading = new AbortController();

  /** The request may read every session, so it is sent once, and again after each change. */
  async read(): Promise<void> {
    this.stop();
    const { signal: stop } = this.#reading;
    try {
      const answer = await ask<SessionsAtRisk>(`${MACHINE_ROOT}/at-risk`, { signal: stop });
      this.answer.value = answer;
      this.lines.value = mergeLines(this.lines.value, answer.hidden);
      this.failure.value = null;
    } catch (error) {
      if (!stop.aborted) this.failure.value = sayError(error);
    }
  }

  /** Keeps the line of a session that came back, with its undo; `null` after the undo. */
  async change(location: string, back: BringBackAnswer | null): Promise<void> {
    this.lines.value = this.lines.value.map((line) =>
      line.row.location === location ? { ...line, back } : line,
    );
    await this.read();
  }

  stop(): void {
    this.#reading.abort();
    this.#reading = new AbortController();
  }
}

/** Lines keep their order, so that none moves away under the pointer; new ones come last. */
export function mergeLines(
  before: readonly HiddenLine[],
  hidden: readonly HiddenRow[],
): readonly HiddenLine[] {
  const now = new Map(hidden.map((row) => [row.location, row]));
  const kept = before.flatMap((line): readonly HiddenLine[] => {
    const row = now.get(line.row.location);
    now.delete(line.row.location);
    if (row !== undefined) return [{ row, back: null }];
    return line.back === null ? [] : [line];
  });
  return [...kept, ...[...now.values()].map((row) => ({ row, back: null }))];
}
