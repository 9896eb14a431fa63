/** The owner's work on the page of a session: when a pass is due, and what it appends. */

import { messageOf, type NewEvent, type StoredEvent } from "@continuo/core/model";
import { isSameItem, type PageItem } from "@continuo/core/wire";
import {
  LIMITS,
  type NoteWriter,
  type PageDraftItem,
  type PageResult,
  type SessionOwnerSettings,
} from "../kit/index.ts";
import {
  carriedPage,
  itemsAfter,
  itemsBeyond,
  itemsWithTail,
  outlineItems,
  type PreviousPage,
  pageEvent,
  pageHash,
  readPageBefore,
  readSpeech,
  revisionEvents,
  type SpeechLog,
  type WrittenPage,
  writeWithModel,
} from "../page/index.ts";
import {
  acceptsInput,
  budgetOf,
  budgetState,
  depthOf,
  type Follower,
  isSpentOnPage,
} from "../state/index.ts";

export interface PageOptions
  extends Pick<SessionOwnerSettings, "store" | "runStore" | "newId" | "writerOf" | "budget" | "report"> {
  readonly follower: Follower;
  readonly signal: AbortSignal;
  /** Appends as the owner. Errors: `fenced`, and those of the store. */
  readonly append: (events: readonly NewEvent[]) => Promise<readonly StoredEvent[]>;
  /** Runs decisions that change notes one after another. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Called when a pass ended. */
  readonly onIdle: () => void;
}

type Reason = "pause" | "end";

const EXTRACTIVE = "extractive";

/** One pass, or several passes of a model, over the evidence up to a sequence. */
interface Pass {
  readonly reason: Reason;
  readonly through: number;
  readonly before: PreviousPage;
  readonly speech: SpeechLog;
  readonly outline: readonly PageDraftItem[];
  /** The changes of people that are taken over with the first pass. */
  readonly carried: readonly NewEvent[];
}

export class PageWork {
  readonly #options: PageOptions;
  #running: Promise<void> | null = null;
  /** The sequence of the newest words that a pass has looked at. */
  #lookedAt = 0;
  #call = new AbortController();

  constructor(options: PageOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  /**
   * The time at which the next pass is due if no input arrives before; `null` if nothing new was said, or if evidence
   * still waits for notes.
   */
  get dueMs(): number | null {
    const { fold } = this.#options.follower;
    if (this.#running !== null || !this.#hasNew || depthOf(fold) > 0 || !acceptsInput(fold.state))
      return null;
    return fold.lastInputAtMs + LIMITS.pagePauseMs;
  }

  startIfDue(nowMs: number): void {
    const { dueMs } = this;
    if (dueMs === null || nowMs < dueMs || this.#options.follower.fault !== null) return;
    void this.#start("pause").then(() => this.#options.onIdle());
  }

  /**
   * Makes the pass at the end of the session. After `ms`, the call of a model is aborted, and the outline is written
   * instead. Never fails: a page that is not written is reported.
   */
  async finish(ms: number): Promise<void> {
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(ms)));
    const end = (): void => this.#call.abort();
    signal.addEventListener("abort", end, { once: true });
    await this.#running;
    if (this.#hasNew) await this.#start("end", signal);
    signal.removeEventListener("abort", end);
  }

  get #hasNew(): boolean {
    const { saidAt, through } = this.#options.follower.fold.page;
    return saidAt > Math.max(through, this.#lookedAt);
  }

  #start(reason: Reason, until?: AbortSignal): Promise<void> {
    const { follower, report, signal } = this.#options;
    this.#call = new AbortController();
    if (until?.aborted === true) this.#call.abort();
    this.#running ??= this.#write(reason)
      .catch((error: unknown) => {
        if (!signal.aborted) report(`live: no page of ${follower.sessionId}: ${messageOf(error)}`);
      })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  /** Errors: those of the store. */
  async #write(reason: Reason): Promise<void> {
    const { store, follower } = this.#options;
    const { sessionId, fold } = follower;
    const through = fold.page.saidAt;
    this.#lookedAt = through;
    const carried = fold.page.passes === 0 ? await carriedPage(store, fold) : null;
    const before = carried ?? (await readPageBefore(store, sessionId, fold));
    const speech = await readSpeech(store, sessionId, through);
    const outline = await outlineItems(speech);
    if (outline.length === 0) return;
    const pass: Pass = { reason, through, before, speech, outline, carried: carried?.events ?? [] };
    const standsInFor = await this.#writeWithModel(pass);
    if (standsInFor !== "written") await this.#writeOutline(pass, standsInFor);
  }

  /** A page that a model wrote stays, and is followed by the outline of the later evidence. */
  async #writeOutline({ outline, before, ...pass }: Pass, standsInFor: string | null): Promise<void> {
    const isByModel = before.writer !== null && before.writer !== EXTRACTIVE && pass.carried.length === 0;
    const drafts = isByModel ? itemsWithTail(before.written, outline) : outline;
    const event = this.#pageEvent({ ...pass, before, outline }, drafts, {
      writer: isByModel ? (before.writer ?? EXTRACTIVE) : EXTRACTIVE,
      ...(standsInFor === null ? {} : { standsInFor }),
    });
    if (event !== null) await this.#options.append([...pass.carried, event]);
  }

  /**
   * Returns `written`, or the reason why no model wrote the page: a sentence if a model should have written it,
   * otherwise `null`. Errors: those of the store.
   */
  async #writeWithModel(first: Pass): Promise<"written" | string | null> {
    const { store, follower, newId, signal } = this.#options;
    const { sessionId } = follower;
    let pass = first;
    for (let n = 0; n < (first.reason === "end" ? 1 : LIMITS.passesAtOnce); n++) {
      const { fold } = follower;
      const writer = this.#model();
      if (writer === null) return n > 0 ? "written" : null;
      if (fold.standIn !== null) return n > 0 ? "written" : fold.standIn.reason;
      let result: PageResult;
      try {
        const call = AbortSignal.any([signal, this.#call.signal]);
        result = await writeWithModel({ ...this.#options, ...pass, sessionId, fold, writer, signal: call });
      } catch (error) {
        if (signal.aborted) throw error;
        const why = messageOf(error).replace(/\.$/u, "");
        return n > 0 ? "written" : `The note writer ${writer.name} wrote no page (${why}): it is an outline.`;
      }
      const decisionId = newId();
      const event = this.#pageEvent(pass, result.items, { writer: writer.name, decisionId });
      await this.#options.inTurn(async () => {
        const place = { store, sessionId, fold: follower.fold };
        const number = follower.fold.page.passes + 1;
        const decided = { pass: number, writer: writer.name, decisionId, result };
        const revisions = await revisionEvents(place, decided);
        await this.#options.append([...pass.carried, ...revisions, ...(event === null ? [] : [event])]);
      });
      if (event === null) break;
      pass = { ...pass, carried: [], before: await readPageBefore(store, sessionId, follower.fold) };
    }
    return "written";
  }

  /** `null` if the page would stay as it is. */
  #pageEvent(
    { reason, through, before, outline, carried }: Pass,
    drafts: readonly PageDraftItem[],
    by: Pick<WrittenPage, "writer" | "decisionId" | "standsInFor">,
  ): NewEvent | null {
    const { fold } = this.#options.follower;
    const earlier: readonly PageItem[] = fold.carry === "none" ? [] : itemsBeyond(before.written, outline);
    const drafted = drafts.filter((draft) => !earlier.some((item) => isSameItem(item, asItem(draft))));
    const items = itemsAfter([...earlier, ...drafted], before.written, this.#options.newId);
    if (carried.length === 0 && pageHash(items) === pageHash(before.written)) return null;
    return pageEvent({ pass: fold.page.passes + 1, reason, through, items, ...by });
  }

  /** The session's writer, if it writes pages and the limits of passes and of the budget allow another pass. */
  #model(): NoteWriter | null {
    const { follower, writerOf, budget } = this.#options;
    const { fold } = follower;
    const own = budgetOf(fold, budget);
    const writer = writerOf(fold.noteWriter);
    const isSpent = budgetState(fold.cost, own) === "spent" || isSpentOnPage(fold.page, own);
    return isSpent || writer.writePage === undefined ? null : writer;
  }
}

/** A draft may be an item of the page already. */
function asItem(draft: PageDraftItem & Partial<PageItem>): PageItem {
  return { itemId: "", by: "agent", status: "written", ...draft };
}
