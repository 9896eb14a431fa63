/**
 * The state of a comparison of two histories: their turns, and the messages of the turns on the screen. It does not
 * follow growing sessions.
 */

import {
  type HistoryWindow,
  historyPath,
  type Outline,
  type OutlineTurn,
  type SessionHead,
  sessionPath,
  type WindowMessage,
} from "@continuo/core/wire/machine";
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { choicesIn } from "../session/choices.ts";
import { SessionState } from "../session/session-state.ts";
import { ask, isAbort, sayError } from "../state/server.ts";
import { type CompareAddress, type ComparedHistory, compareLink, type SideName } from "./compare-address.ts";
import { type ComparedTurns, pairTurns } from "./turn-pairs.ts";

/** The most turns in one answer, and on one side. */
const OUTLINE_TURNS = 5_000;
const MAX_TURNS = 20_000;

/** The number of messages of a turn that one request loads. */
const TURN_MESSAGES = 90;

/** One of the two compared histories. */
export class ComparedSide {
  readonly name: SideName;
  readonly history: ComparedHistory;
  /** The session whose rows are drawn and whose messages are loaded. Its stream of events is never opened. */
  readonly session: SessionState;
  readonly turns: Signal<readonly OutlineTurn[] | null> = signal(null);
  readonly failures: Signal<ReadonlyMap<number, string>> = signal(new Map());
  readonly #asked = new Set<number>();
  readonly #signal: AbortSignal;

  constructor(name: SideName, { history, signal: stop }: { history: ComparedHistory; signal: AbortSignal }) {
    this.name = name;
    this.history = history;
    this.#signal = stop;
    const { view, branch } = history;
    this.session = new SessionState(history.key, { ...choicesIn(""), view, branch });
  }

  async read(): Promise<void> {
    const path = sessionPath(this.history.key);
    const [head, turns] = await Promise.all([
      ask<SessionHead>(path, { signal: this.#signal }),
      this.#readTurns(),
    ]);
    batch(() => {
      this.session.head.value = head;
      this.turns.value = turns;
    });
  }

  /** The loaded messages of a turn, in their order. */
  messagesOf(turn: OutlineTurn): readonly WindowMessage[] {
    return this.session.part.value.messages.filter((one) => one.turn === turn.number);
  }

  /** Loads the beginning of a turn, unless it was requested before. */
  async load(turn: OutlineTurn): Promise<void> {
    if (this.#asked.has(turn.number)) return;
    this.#asked.add(turn.number);
    // A quarter of the window comes before the requested message, so the window must be larger than the turn.
    const limit = Math.min(TURN_MESSAGES, Math.ceil((turn.messages * 4) / 3) + 4);
    await this.#take(turn, { around: `turn:${turn.number}`, limit });
  }

  async loadMore(turn: OutlineTurn): Promise<void> {
    const last = this.messagesOf(turn).at(-1)?.message.id;
    if (last === undefined) this.#asked.delete(turn.number);
    if (last === undefined) await this.load(turn);
    else await this.#take(turn, { after: last, limit: TURN_MESSAGES });
  }

  async #take(turn: OutlineTurn, query: Readonly<Record<string, string | number>>): Promise<void> {
    const failures = new Map(this.failures.value);
    failures.delete(turn.number);
    this.failures.value = failures;
    try {
      const path = historyPath(this.history.key, { ...query, ...this.session.name() });
      const { messages } = await ask<HistoryWindow>(path, { signal: this.#signal });
      const part = this.session.part.value;
      const known = new Set(part.messages.map(({ message }) => message.id));
      const fresh = messages.filter((one) => one.turn === turn.number && !known.has(one.message.id));
      this.session.part.value = { ...part, messages: [...part.messages, ...fresh] };
    } catch (error) {
      if (!isAbort(error))
        this.failures.value = new Map(this.failures.value).set(turn.number, sayError(error));
    }
  }

  /** Reads the turns of the history. If there are more than a page can compare, reads only the newest ones. */
  async #readTurns(): Promise<readonly OutlineTurn[]> {
    let turns: readonly OutlineTurn[] = [];
    for (let before: number | undefined; turns.length < MAX_TURNS; before = turns[0]?.number) {
      const query = { ...this.session.name(), limit: OUTLINE_TURNS, prints: "include", before };
      const path = sessionPath(this.history.key, "outline", query);
      const outline = await ask<Outline>(path, { signal: this.#signal });
      turns = [...outline.turns, ...turns];
      if (!outline.hasOlder || outline.turns.length === 0) break;
    }
    return turns;
  }
}

export class CompareState {
  readonly left: ComparedSide;
  readonly right: ComparedSide;
  /** The 1-based row to which the reader went; `null` at the beginning. */
  readonly at: Signal<number | null>;
  readonly same: Signal<ReadonlySet<number>>;
  readonly folds: Signal<ReadonlyMap<string, boolean>>;
  readonly side: Signal<SideName>;
  readonly failure: Signal<string | null> = signal(null);
  readonly goal: Signal<{ readonly row: number } | null> = signal(null);
  readonly rows: ReadonlySignal<readonly ComparedTurns[] | null> = computed(() => {
    const [left, right] = [this.left.turns.value, this.right.turns.value];
    return left === null || right === null ? null : pairTurns(left, right);
  });
  readonly #stop = new AbortController();

  constructor({ left, right, at, same, folds, side }: CompareAddress) {
    const { signal: stop } = this.#stop;
    this.left = new ComparedSide("left", { history: left, signal: stop });
    this.right = new ComparedSide("right", { history: right, signal: stop });
    this.at = signal(at);
    this.same = signal(same);
    this.folds = signal(folds);
    this.side = signal(side);
  }

  get address(): CompareAddress {
    return {
      left: this.left.history,
      right: this.right.history,
      at: this.at.value,
      same: this.same.value,
      folds: this.folds.value,
      side: this.side.value,
    };
  }

  get link(): string {
    return compareLink(this.address);
  }

  async read(): Promise<void> {
    try {
      await Promise.all([this.left.read(), this.right.read()]);
      this.failure.value = null;
      const at = this.at.value;
      if (at !== null) this.goal.value = { row: at };
    } catch (error) {
      if (!isAbort(error)) this.failure.value = sayError(error);
    }
  }

  /** Shows the place that an address of the same two histories names. */
  show({ at, same, folds, side }: CompareAddress): void {
    const isElsewhere = at !== this.at.value;
    batch(() => {
      this.at.value = at;
      this.same.value = same;
      this.folds.value = folds;
      this.side.value = side;
      if (isElsewhere) this.goal.value = { row: at ?? 1 };
    });
  }

  /** Moves to the next or previous row, or to the next or previous difference. */
  go(step: 1 | -1, to: "row" | "difference"): void {
    const rows = this.rows.value ?? [];
    const isWanted = (row: ComparedTurns | undefined): boolean => to === "row" || row?.type === "pair";
    let next = (this.at.value ?? (step === 1 ? 0 : rows.length + 1)) + step;
    while (next >= 1 && next <= rows.length && !isWanted(rows[next - 1])) next += step;
    if (next < 1 || next > rows.length) return;
    this.at.value = next;
    this.goal.value = { row: next };
  }

  toggleSame(first: number): void {
    const same = new Set(this.same.value);
    if (!same.delete(first)) same.add(first);
    this.same.value = same;
  }

  close(): void {
    this.#stop.abort();
    this.left.session.close();
    this.right.session.close();
  }
}
