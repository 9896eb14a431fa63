/** Drafts on talks of the corpus, by the writer that needs no model. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { StoredEvent } from "@continuo/core/model";
import { type EvidenceItem, extractiveWriter, type NoteRequest } from "@continuo/live";
import { expect } from "vitest";
import type { Draft } from "../../../packages/live/src/kit/types.ts";
import { readTalk, type Talk } from "./draw.ts";
import { type Measure, measure, sumOf } from "./measure.ts";

export function itemsOf({ pieces }: Talk): readonly EvidenceItem[] {
  return pieces.map(({ text, mediaTimeMs, endMs, lang }, n) => ({
    id: `e${n + 1}`,
    sequence: n + 1,
    type: "transcript_added",
    retention: "critical",
    startMs: mediaTimeMs,
    endMs,
    text,
    ...(lang === undefined ? {} : { lang }),
    event: { data: {} } as StoredEvent,
  }));
}

/** Calls the writer as the engine does, with batches of the given size; its memory goes through JSON each time. */
export async function draftsOf(items: readonly EvidenceItem[], batchSize: number): Promise<readonly Draft[]> {
  const writer = extractiveWriter();
  const drafts: Draft[] = [];
  let memory: unknown = null;
  for (let from = 0; from <= items.length; from += batchSize) {
    const isEnd = from + batchSize > items.length;
    const request: NoteRequest = {
      sessionId: "s",
      batchId: `b${from}`,
      videoId: "v",
      title: null,
      evidence: items.slice(from, from + batchSize),
      notes: [],
      inherited: [],
      memory,
      unsure: [],
      answered: [],
      isEnd,
      idsOf: async (sequences) => sequences.map((sequence) => `e${sequence}`),
      context: async function* (atMs, { primaryWindowMs = 0 } = {}) {
        const known = items.slice(0, from + batchSize);
        yield* known.filter(({ startMs }) => Math.abs(startMs - atMs) <= primaryWindowMs);
      },
    };
    const result = await writer.write(request, {} as Parameters<typeof writer.write>[1]);
    drafts.push(...result.drafts);
    if (result.memory !== undefined) memory = JSON.parse(JSON.stringify(result.memory)) as unknown;
  }
  expect(writer.hasOpen?.(memory)).toBe(false);
  return drafts;
}

const KNOWN = [
  ...["gertie", "moore", "qahwa"].map((name) => `judged/${name}`),
  ...["bees", "brot", "lighthouse", "mosque", "panel"].map((name) => `tune/${name}`),
];

interface Drawing {
  readonly style: string;
  readonly pauses: string;
  /** Pauses and words have other random lengths for each text. */
  readonly seed?: string;
}

/** A talk of the development set, with captions without punctuation that are drawn in this way. */
function plainTalk(path: string, { style, pauses, seed = "" }: Drawing): Talk {
  const text = readFileSync(join(import.meta.dirname, `${path}.txt`), "utf8");
  const head = { style, pauses, punctuation: "no" };
  const drawn = Object.entries(head).reduce(
    (all, [field, value]) => all.replace(new RegExp(`^${field}: .*$`, "mu"), `${field}: ${value}`),
    text,
  );
  return readTalk(`${path.split("/")[1]}${seed}`, drawn);
}

/** The notes on all talks of the development set, with captions without punctuation. */
export async function measurePlain(drawing: Drawing): Promise<ReturnType<typeof sumOf>> {
  const measures: Measure[] = [];
  for (const path of KNOWN) {
    const talk = plainTalk(path, drawing);
    measures.push(measure(talk, await draftsOf(itemsOf(talk), 20)));
  }
  return sumOf(measures);
}
