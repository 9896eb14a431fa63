/** One session: its newest part first, more as the reader scrolls, and new messages as they arrive. */

import type { SessionFacts } from "@continuo/core/model";
import {
  type FoundMessage,
  type HistoryView,
  type HistoryWindow,
  type KnownSession,
  type MachineSession,
  type Outline,
  type SessionHead,
  sessionPath,
  type TextCut,
  type TextRest,
  type WindowMessage,
} from "@continuo/core/wire/machine";
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { sessionLink } from "../shell/route.ts";
import {
  EMPTY_PART,
  foldGrowth,
  foldRest,
  foldWindow,
  type LoadedPart,
  type Row,
  toRows,
} from "../state/history.ts";
import { type Growth, type Handlers, listen } from "../state/listen.ts";
import { NO_RUNNING_TURN, type RunningTurn, withLive } from "../state/live.ts";
import { outlineOfLoaded, withTurns } from "../state/loaded-turns.ts";
import { withNewestTurns, withOlderTurns } from "../state/outline.ts";
import { ask, isAbort, sayError } from "../state/server.ts";
import { type Choices, type DiffForm, withChoices } from "./choices.ts";

const WINDOW = 60;
const OUTLINE_TURNS = 500;

/** The greatest number of parts that are loaded for one step back. */
const MAX_PARTS = 10;

/** The numbers are read again after the session has not grown for this time. */
const PAUSE_MS = 500;

export type Goal =
  | { readonly to: "end" }
  | { readonly to: "turn"; readonly turn: number }
  /** `callId` names a call in it. */
  | { readonly to: "message"; readonly id: string; readonly callId?: string };

/** A place in a turn that belongs to the next address. */
interface Aim {
  readonly turn: number;
  readonly messageId: string;
  readonly callId?: string;
}

/** Makes the next change a step in the browser's history; the address follows it. */
export function addStep(): void {
  history.pushState(null, "", location.hash);
}

export class SessionState {
  readonly key: string;
  readonly head: Signal<SessionHead | null> = signal(null);
  readonly outline: Signal<Outline | null> = signal(null);
  /** The row of a session that is still being read; `null` as soon as it was read completely. */
  readonly reading: Signal<MachineSession | null> = signal(null);
  readonly facts: Signal<SessionFacts | null> = signal(null);
  readonly part: Signal<LoadedPart> = signal(EMPTY_PART);
  readonly view: Signal<HistoryView>;
  /** The id of a branch's end; `null` for the active one. */
  readonly branch: Signal<string | null>;
  readonly thinking: Signal<boolean>;
  /** True if the facts are unfolded. */
  readonly showsFacts: Signal<boolean>;
  readonly folds: Signal<ReadonlyMap<string, boolean>>;
  readonly file: Signal<string | null>;
  readonly diff: Signal<DiffForm>;
  readonly find: Signal<string>;
  /** The messages with the words of `find`, the newest first. */
  readonly found: Signal<readonly FoundMessage[]> = signal([]);
  readonly failure: Signal<string | null> = signal(null);
  readonly loading: Signal<boolean> = signal(true);
  /** The place to which the page scrolls when the next part has arrived. */
  readonly goal: Signal<Goal | null> = signal(null);
  readonly gone: Signal<boolean> = signal(false);
  /** The turn that the reader sees; `null` at the end. */
  place: number | null = null;
  /** The messages of the running turn. Its open text is a separate signal, so a new token does not redraw any row. */
  readonly liveMessages: Signal<RunningTurn["messages"]> = signal(NO_RUNNING_TURN.messages);
  readonly openText: Signal<RunningTurn["open"]> = signal(null);
  /** The known turns: those of the whole session, or the loaded ones while it is being read. */
  readonly turns: ReadonlySignal<Outline> = computed(
    () => this.outline.value ?? outlineOfLoaded(this.#numbered.value),
  );
  readonly rows: ReadonlySignal<readonly Row[]> = computed(() =>
    toRows(this.#shown(), {
      turns: this.outline.value?.turns ?? [],
      seenFrom: this.view.value === "model" ? null : (this.outline.value?.seenFrom?.messageId ?? null),
    }),
  );
  readonly #numbered: ReadonlySignal<readonly WindowMessage[]> = computed(() =>
    withTurns(this.part.value.messages, this.outline.value?.total ?? null),
  );
  readonly #stop = new AbortController();
  /** Counts the jumps of the reader. */
  #moves = 0;
  /** True if another part was requested that replaces the shown one. */
  #isReplacing = false;
  /** The earlier part that is being loaded. */
  #older: Promise<void> | null = null;
  #growth: Growth | null = null;
  /** The position from which the open stream continues. */
  #position: string | null = null;
  #chat: Handlers | null = null;
  #due: ReturnType<typeof setTimeout> | undefined;
  #aim: Aim | null = null;

  constructor(key: string, { view, branch, thinking, facts, folds, file, diff, find }: Choices) {
    this.key = key;
    this.view = signal(view);
    this.branch = signal(branch);
    this.thinking = signal(thinking);
    this.showsFacts = signal(facts);
    this.folds = signal(folds);
    this.file = signal(file);
    this.diff = signal(diff);
    this.find = signal(find);
  }

  /** The address of a part of the session, with the reader's choices. */
  link(part = ""): string {
    const [view, branch, thinking] = [this.view.value, this.branch.value, this.thinking.value];
    const choices = {
      view,
      branch,
      thinking,
      facts: this.showsFacts.value,
      folds: this.folds.value,
      file: this.file.value,
      diff: this.diff.value,
      find: this.find.value,
    };
    return withChoices(sessionLink(this.key, part), choices);
  }

  /** Shows the place in the address, if it is not shown already. */
  async show(
    { view, branch, thinking, facts, folds, file, diff, find }: Choices,
    turn: number | null,
  ): Promise<void> {
    const isOther = view !== this.view.value || branch !== this.branch.value;
    batch(() => {
      this.thinking.value = thinking;
      this.showsFacts.value = facts;
      this.folds.value = folds;
      this.file.value = file;
      this.diff.value = diff;
      this.find.value = find;
      if (isOther) this.#begin(branch, view);
    });
    const aim = this.#aim;
    this.#aim = null;
    if (aim !== null && aim.turn === turn) await this.showMessage(aim.messageId, aim.callId);
    else if (turn !== null) await this.showTurn(turn);
    else if (this.part.value === EMPTY_PART) await this.showNewest();
  }

  async showNewest(): Promise<void> {
    this.place = null;
    await this.#load({}, "instead", { to: "end" });
  }

  /** Returns false if the turn does not exist, for example because the session is not completely read yet. */
  async showTurn(turn: number): Promise<boolean> {
    const isLoaded = (): boolean => this.#numbered.value.some((one) => one.turn === turn);
    // The end of a session that is still being read extends further back than its loaded part.
    const first = (): number => this.#numbered.value[0]?.turn ?? 0;
    const isNear = turn === first() - 1 || (turn < first() && (turn < 0 || this.#older !== null));
    if (isNear && this.reading.value !== null) {
      // With an earlier goal, the page would report a wrong turn of the reader while the older part is loaded.
      this.goal.value = null;
      await this.loadOlder();
      // A part can have fewer turns than the reader went back while it was being loaded.
      for (let part = 1; turn < 0 && turn < first() && part < MAX_PARTS; part++) await this.loadOlder();
    }
    if (turn < 0 && !isLoaded()) return false;
    this.place = turn;
    await this.#goTo({ to: "turn", turn }, isLoaded() ? null : `turn:${turn}`);
    return true;
  }

  async showMessage(id: string, callId?: string): Promise<void> {
    const isLoaded = this.part.value.messages.some(({ message }) => message.id === id);
    await this.#goTo({ to: "message", id, ...(callId !== undefined && { callId }) }, isLoaded ? null : id);
  }

  /** Sets the wanted place in the turn that the next address names. */
  aimAt(aim: Aim): void {
    this.#aim = aim;
  }

  async loadOlder(): Promise<void> {
    const first = this.part.value.messages[0]?.message.id;
    if (this.#older !== null) return await this.#older;
    if (this.loading.value || !this.part.value.hasOlder || first === undefined) return;
    const older = this.#load({ before: first }, "older").finally(() => {
      if (this.#older === older) this.#older = null;
    });
    this.#older = older;
    await older;
  }

  async loadNewer(): Promise<void> {
    const last = this.part.value.messages.at(-1)?.message.id;
    if (this.loading.value || !this.part.value.hasNewer || last === undefined) return;
    await this.#load({ after: last }, "newer");
  }

  async loadOlderTurns(): Promise<void> {
    const known = this.outline.value;
    const before = known?.turns[0]?.number;
    if (known === null || !known.hasOlder || before === undefined) return;
    await this.#guarded(async () => {
      const branch = this.branch.value;
      const more = await this.#ask<Outline>("outline", {
        limit: OUTLINE_TURNS,
        before,
        ...this.name(),
      });
      const now = this.outline.value;
      if (now !== null && branch === this.branch.value) this.outline.value = withOlderTurns(now, more);
    });
  }

  async showRest({ message }: WindowMessage, { path, kept }: TextCut): Promise<void> {
    await this.#guarded(async () => {
      const place = `messages/${encodeURIComponent(message.id)}/text`;
      const rest = await this.#ask<TextRest>(place, { path, from: kept, ...this.name() });
      this.part.value = foldRest(this.part.value, message.id, path, rest);
    });
  }

  async setView(view: HistoryView): Promise<void> {
    addStep();
    batch(() => {
      this.view.value = view;
      this.outline.value = null;
    });
    await Promise.all([this.showNewest(), this.readFacts()]);
  }

  /**
   * Shows another branch by the id of its end, or with `null` the active one. Goes to one of its messages, or to its
   * end.
   */
  async setBranch(id: string | null, messageId: string | null): Promise<void> {
    addStep();
    this.#begin(id, "history");
    if (messageId === null) await this.showNewest();
    else await this.#load({ around: messageId }, "instead", { to: "message", id: messageId });
  }

  /** The events of the chat use the connection of the session, which is opened again for them. */
  followChat(handlers: Handlers | null): void {
    this.#chat = handlers;
    if (this.#growth === null) return;
    this.#growth.close();
    this.#growth = this.#follow();
  }

  /** Reads numbers, turns and problems, which may take longer than the newest messages. */
  async readFacts(): Promise<void> {
    await this.#guarded(async () => {
      const name = this.name();
      const [head, outline, facts] = await Promise.all([
        this.#ask<SessionHead>(""),
        this.#ask<Outline>("outline", { limit: OUTLINE_TURNS, ...name }),
        this.#ask<SessionFacts>("facts", this.#branch()),
      ]);
      batch(() => {
        this.head.value = head;
        this.reading.value = null;
        this.facts.value = facts;
        // The turns of another view or branch have other numbers.
        if (JSON.stringify(name) !== JSON.stringify(this.name())) return;
        this.outline.value = withNewestTurns(this.outline.value, outline);
      });
    });
  }

  /** Shows the facts of an earlier read while the session is read. */
  async #readKnown(): Promise<void> {
    await this.#guarded(async () => {
      const { session, head, outline } = await this.#ask<KnownSession>("known");
      if (this.head.value !== null) return;
      batch(() => {
        this.reading.value = session;
        this.head.value = head;
        if (this.branch.value === null && this.view.value === "history") this.outline.value = outline;
      });
    });
  }

  /** After a failure, the shown part stays, and the missing parts are read. */
  async readAgain(): Promise<void> {
    if (this.#growth === null) await this.#showAgain();
    else await this.readFacts();
  }

  close(): void {
    clearTimeout(this.#due);
    this.#growth?.close();
    this.#growth = null;
    this.#stop.abort();
  }

  /** Loads the shown place again, so that the page of a reader who views a turn does not move. */
  async #showAgain(): Promise<void> {
    await this.#guarded(async () => {
      const turn = await this.#placeNow();
      if (turn === null) await this.showNewest();
      else await this.#load({ around: `turn:${turn}` }, "instead", { to: "turn", turn });
    });
  }

  /** Returns the turn at the shown place. A turn was counted from the end until the whole session was read. */
  async #placeNow(): Promise<number | null> {
    if (this.place === null || this.place > 0) return this.place;
    const { turns } = await this.#ask<HistoryWindow>("history", { ...this.name(), limit: 1 });
    return turns === null ? null : Math.max(1, this.place + turns + 1);
  }

  /** Changes to another history. The shown part and the stream belong to the previous one, so they end. */
  #begin(branch: string | null, view: HistoryView): void {
    batch(() => {
      this.branch.value = branch;
      this.view.value = view;
      this.outline.value = null;
      this.facts.value = null;
      this.part.value = EMPTY_PART;
    });
    this.#growth?.close();
    this.#growth = null;
  }

  #shown(): readonly WindowMessage[] {
    const { hasNewer } = this.part.value;
    const messages = this.#numbered.value;
    if (this.view.value === "model") return messages;
    return withLive(messages, this.liveMessages.value, !hasNewer && !this.loading.value);
  }

  /** `around` is the place to load; `null` if the target is in the shown part. */
  async #goTo(goal: Goal, around: string | null): Promise<void> {
    if (around !== null) return await this.#load({ around }, "instead", goal);
    if (this.#isReplacing) this.#leave();
    this.goal.value = goal;
  }

  /** The reader goes to another place: earlier targets no longer count, and pending answers arrive too late. */
  #leave(): void {
    this.#moves += 1;
    this.#isReplacing = false;
    // The answer may arrive only after the whole session was read, which is too late. The next step back sends the
    // request again.
    this.#older = null;
    this.loading.value = false;
    this.goal.value = null;
  }

  async #load(
    query: Readonly<Record<string, string>>,
    place: Parameters<typeof foldWindow>[2],
    goal: Goal | null = null,
  ): Promise<void> {
    if (place === "instead") {
      this.#leave();
      this.#isReplacing = true;
    }
    const move = this.#moves;
    this.loading.value = true;
    await this.#guarded(async () => {
      const asked = { ...query, ...this.name(), limit: WINDOW };
      const window = await this.#ask<HistoryWindow>("history", asked);
      if (move !== this.#moves) return;
      batch(() => {
        this.part.value = foldWindow(this.part.value, window, place);
        if (goal !== null) this.goal.value = goal;
      });
      if (this.#growth === null) {
        // The stream sends the history, so it cannot continue at a position of the model's view.
        this.#position = this.view.value === "model" ? null : window.position;
        this.#growth = this.#follow();
        // The facts need a read of the whole session, which may take longer than reading its end.
        if (window.total === null) void this.#readKnown();
        void this.readFacts();
      }
    });
    if (move !== this.#moves) return;
    this.#isReplacing = false;
    this.loading.value = false;
  }

  #follow(): Growth {
    const chat = Object.entries(this.#chat ?? {}).map(([name, handle]) => [`chat-${name}`, handle]);
    const path = (): string =>
      sessionPath(this.key, "events", {
        ...this.#branch(),
        after: this.#position ?? undefined,
        chat: chat.length > 0 ? "include" : undefined,
      });
    return listen(path, {
      ...Object.fromEntries(chat),
      messages: (data, id) => {
        this.#position = id;
        const { messages } = data as { readonly messages: readonly WindowMessage[] };
        if (this.view.value === "history") this.part.value = foldGrowth(this.part.value, messages);
        clearTimeout(this.#due);
        this.#due = setTimeout(() => void this.readFacts(), PAUSE_MS);
      },
      reset: (_, id) => {
        const isFirst = this.#position === null;
        this.#position = id;
        // The model's view was read just now, so it is as new as the first position.
        if (isFirst && this.view.value === "model") return;
        void this.#showAgain();
      },
      session: (data) => {
        const { session } = data as { readonly session: MachineSession };
        if (this.head.value !== null) this.head.value = { ...this.head.value, session };
      },
      gone: () => {
        this.gone.value = true;
      },
    });
  }

  #branch(): Readonly<Record<string, string>> {
    return this.branch.value === null ? {} : { branch: this.branch.value };
  }

  /** The parameters that name the shown history. */
  name(): Readonly<Record<string, string>> {
    return { view: this.view.value, ...this.#branch() };
  }

  async #ask<T>(part: string, query: Readonly<Record<string, string | number>> = {}): Promise<T> {
    return await ask<T>(sessionPath(this.key, part, query), { signal: this.#stop.signal });
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.failure.value = null;
    } catch (error) {
      if (!isAbort(error)) this.failure.value = sayError(error);
    }
  }
}
