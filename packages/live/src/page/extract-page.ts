/** The items of a page without a model: the outline of what was said, and the questions and decisions in remarks. */

import { setImmediate as otherWork } from "node:timers/promises";
import type { Store, StoredEvent } from "@continuo/core/model";
import { toItem } from "../evidence/index.ts";
import { isFields, LIMITS } from "../kit/index.ts";
import {
  isDecision,
  isQuestion,
  type OutlineItem,
  outlineSteps,
  type SpokenPiece,
} from "../outline/index.ts";
import type { PageDraftItem } from "./page-items.ts";

interface SpeechLog {
  readonly pieces: readonly SpokenPiece[];
  readonly remarks: readonly StoredEvent[];
  readonly idOf: ReadonlyMap<number, string>;
}

/** Empty if too little was said. It gives way to other work every few milliseconds. Errors: the store's. */
export async function extractItems(
  store: Store,
  sessionId: string,
  through: number,
): Promise<readonly PageDraftItem[]> {
  const said = await readSaid(store, sessionId, through);
  const steps = outlineSteps(said.pieces);
  let items: readonly OutlineItem[] | undefined;
  let sinceMs = performance.now();
  while (items === undefined) {
    const step = steps.next();
    if (step.done === true) items = step.value;
    else if (performance.now() - sinceMs >= LIMITS.heardMs) {
      await otherWork();
      sinceMs = performance.now();
    }
  }
  return [...items.map((item) => withIds(item, said.idOf)), ...said.remarks.flatMap(remarkItem)];
}

/** The words up to a sequence; of more pieces than the bound, the newest ones. */
async function readSaid(store: Store, sessionId: string, through: number): Promise<SpeechLog> {
  let pieces: SpokenPiece[] = [];
  const remarks: StoredEvent[] = [];
  const idOf = new Map<number, string>();
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
      if (event.type === "remark_added") remarks.push(event);
      else pieces.push(pieceOf(event));
      idOf.set(event.sequence, event.id);
    }
    if (pieces.length > 2 * LIMITS.pagePieces) pieces = pieces.slice(-LIMITS.pagePieces);
    after = page.nextAfter;
  }
  return { pieces: pieces.slice(-LIMITS.pagePieces), remarks: remarks.slice(-LIMITS.pageItems), idOf };
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
  const { id, text, startMs, endMs, lang = "und" } = toItem(event);
  const kind = isDecision(text, lang) ? "decision" : isQuestion(text) ? "question" : null;
  return kind === null ? [] : [{ kind, title: null, text, startMs, endMs, evidence: [id] }];
}
