/** Asks the note writer again for the newest page that a model wrote, and counts the items that are similar in both. */

import type { Store, StoredEvent } from "@continuo/core/model";
import { type PageItem, toWireEvent, writtenItemsOf } from "@continuo/core/wire";
import {
  cosineOf,
  isFields,
  type NoteWriter,
  overlapOf,
  type PageDraftItem,
  type SessionOwnerSettings,
} from "../kit/index.ts";
import { carriedPage, outlineItems, readPageBefore, readSpeech, writeWithModel } from "../page/index.ts";
import type { LiveFold } from "../state/index.ts";

/** A page that a model wrote, and the result of the same pass when it was repeated. */
export interface PageReplay {
  /**
   * The number of the pass.
   *
   * @type integer
   */
  readonly pass: number;
  /**
   * The items of the recorded page.
   *
   * @type integer
   */
  readonly compared: number;
  /**
   * The recorded items that the repeated pass has too: of the same kind, at the same place, with similar words.
   *
   * @type integer
   */
  readonly agreed: number;
}

export interface PageReplayOptions
  extends Pick<SessionOwnerSettings, "store" | "runStore" | "embedder" | "rules"> {
  readonly sessionId: string;
  readonly writer: NoteWriter;
  /** The state of the session before the pass. */
  readonly fold: LiveFold;
  readonly recorded: StoredEvent;
  readonly signal: AbortSignal;
}

/** The event of the newest page that a model wrote; `null` if there is none. Errors: those of the store. */
export async function newestModelPage(store: Store, sessionId: string): Promise<StoredEvent | null> {
  const { events } = await store.read(sessionId, { types: ["page_written"], order: "newest" });
  return events.findLast((event) => decisionOfPage(event) !== null) ?? null;
}

/** The id of the decision of the pass; `null` for a page without a model. */
export function decisionOfPage({ data }: StoredEvent): string | null {
  const { decisionId } = isFields(data) ? data : {};
  return typeof decisionId === "string" ? decisionId : null;
}

/** `null` for a writer that writes no pages. Errors: `agent_failed`, and those of the store. */
export async function replayPage(options: PageReplayOptions): Promise<PageReplay | null> {
  const { store, sessionId, writer, fold, recorded } = options;
  if (writer.writePage === undefined || !isFields(recorded.data)) return null;
  const { pass, through } = recorded.data;
  const carried = fold.page.passes === 0 ? await carriedPage(store, fold) : null;
  const before = carried ?? (await readPageBefore(store, sessionId, fold));
  const speech = await readSpeech(store, sessionId, Number(through));
  const outline = await outlineItems(speech);
  const { items } = await writeWithModel({ ...options, before, speech, outline, beside: "replay" });
  const written = writtenItemsOf(toWireEvent(recorded));
  let agreed = 0;
  for (const item of written) if (await isAmong(item, items, options)) agreed++;
  return { pass: Number(pass), compared: written.length, agreed };
}

async function isAmong(
  item: PageItem,
  drafts: readonly PageDraftItem[],
  { embedder, rules, signal }: PageReplayOptions,
): Promise<boolean> {
  const near = drafts.filter((draft) => draft.kind === item.kind && overlapOf(draft, item) >= rules.overlap);
  if (near.length === 0) return false;
  const texts = [item, ...near].map(({ title, text }) => (title === null ? text : `${title}. ${text}`));
  const [vector = [], ...others] = await embedder.embed(texts, { signal });
  return others.some((other) => cosineOf(vector, other) >= (rules.similarity ?? embedder.threshold));
}
