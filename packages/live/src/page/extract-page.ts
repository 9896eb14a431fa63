/** The items of a page without a model: the outline of what was said, and the questions and decisions in remarks. */

import { present, type Store, type StoredEvent } from "@continuo/core/model";
import { toItem } from "../evidence/index.ts";
import { isFields, LIMITS, type PageDraftItem, runSteps } from "../kit/index.ts";
import {
  isDecision,
  isQuestion,
  type OutlineItem,
  outlineSteps,
  type SpokenPiece,
} from "../outline/index.ts";

/** The words and remarks of a session up to a sequence. */
export interface SpeechLog {
  readonly transcripts: readonly StoredEvent[];
  readonly remarks: readonly StoredEvent[];
}

/** Returns nothing if too little was said. Lets other work run every few milliseconds. */
export async function outlineItems({ transcripts, remarks }: SpeechLog): Promise<readonly PageDraftItem[]> {
  const idOf = new Map(transcripts.map(({ sequence, id }) => [sequence, id]));
  const outlines: PageDraftItem[] = [];
  for (const [videoId, said] of byVideo(transcripts)) {
    const items = await runSteps(outlineSteps(said.map(pieceOf)));
    outlines.push(...items.map((item) => ({ ...withIds(item, idOf), ...present({ videoId }) })));
  }
  return [...outlines, ...remarks.flatMap(remarkItem)];
}

/**
 * Groups the speech by video, because tabs of other videos may have joined the session: each video has its own outline.
 * If there are more videos than the limit, keeps only the newest ones.
 */
function byVideo(
  transcripts: readonly StoredEvent[],
): ReadonlyMap<string | undefined, readonly StoredEvent[]> {
  const videos = new Map<string | undefined, StoredEvent[]>();
  for (const event of transcripts) {
    const { videoId } = toItem(event);
    const said = videos.get(videoId);
    if (said === undefined) videos.set(videoId, [event]);
    else said.push(event);
  }
  return new Map(
    [...videos].filter(([videoId], n) => videoId === undefined || n >= videos.size - LIMITS.joinedVideos),
  );
}

/** Reads the speech up to a sequence; only the newest pieces if there are too many. Errors: those of the store. */
export async function readSpeech(store: Store, sessionId: string, through: number): Promise<SpeechLog> {
  let transcripts: StoredEvent[] = [];
  const remarks: StoredEvent[] = [];
  const types = ["transcript_added", "remark_added"];
  for (let after: number | null = 0; after !== null && after < through; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(sessionId, {
      after,
      before: through + 1,
      types,
      limit: LIMITS.restorePage,
    });
    for (const event of page.events) {
      if (event.data === null) continue;
      (event.type === "remark_added" ? remarks : transcripts).push(event);
    }
    if (transcripts.length > 2 * LIMITS.pagePieces) transcripts = transcripts.slice(-LIMITS.pagePieces);
    after = page.nextAfter;
  }
  return { transcripts: transcripts.slice(-LIMITS.pagePieces), remarks: remarks.slice(-LIMITS.pageItems) };
}

function pieceOf(event: StoredEvent): SpokenPiece {
  const { sequence, text, startMs, endMs, lang } = toItem(event);
  const { speaker } = isFields(event.data) ? event.data : {};
  return {
    sequence,
    text,
    startMs,
    endMs,
    ...(lang === undefined ? {} : { lang }),
    ...(typeof speaker === "string" ? { speaker } : {}),
  };
}

function withIds({ pieces, ...item }: OutlineItem, idOf: ReadonlyMap<number, string>): PageDraftItem {
  const evidence = pieces.slice(0, LIMITS.pageCitations).flatMap((sequence) => idOf.get(sequence) ?? []);
  return { ...item, evidence };
}

/** Remarks are short: a question or a decision in one is an item of the page. */
function remarkItem(event: StoredEvent): readonly PageDraftItem[] {
  const { id, text, startMs, endMs, lang = "und", videoId } = toItem(event);
  const kind = isDecision(text, lang) ? "decision" : isQuestion(text) ? "question" : null;
  if (kind === null) return [];
  return [{ kind, title: null, text, startMs, endMs, evidence: [id], ...present({ videoId }) }];
}
