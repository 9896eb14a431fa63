/** The first pass: every record once, folded into the index and the facts; the records of a small session are kept. */

import { createIdTable } from "../reader/index.ts";
import { keptBytes } from "../records/index.ts";
import { createFacts, type Facts, foldMessageFacts, foldPartFacts, foldStray } from "./facts-fold.ts";
import { createIndex, foldIndex, type Index } from "./index-fold.ts";
import { toMessages } from "./messages.ts";
import { type NativeRecord, typedText } from "./records.ts";
import { readAll, readOr, readParts, type SessionSource } from "./source.ts";

/** A message with its parts. */
export interface Whole {
  readonly record: NativeRecord;
  readonly parts: readonly NativeRecord[];
}

export interface Scan {
  readonly index: Index;
  readonly facts: Facts;
  /** By place in the index; messages that are not in it are read again. */
  readonly kept: ReadonlyMap<number, Whole>;
  /** Messages, by place in the index, whose parts the database is damaged at. */
  readonly damaged: ReadonlySet<number>;
  readonly areStraysDamaged: boolean;
  /** The first thing that the person typed. */
  readonly typed: string | null;
  readonly partial: boolean;
}

export interface ScanOptions {
  readonly sessionId: string;
  readonly newestBytes?: number;
  readonly signal?: AbortSignal;
  readonly keep?: "all";
}

export function scanSession(source: SessionSource, options: ScanOptions): Scan {
  const index = createIndex();
  const facts = createFacts();
  const kept = createKept(source.inMemory, options.keep);
  const onDamage = (message: string): void => facts.problems.add({ code: "unreadable", line: null, message });
  const damaged = new Set<number>();
  let areStraysDamaged = false;
  let typed: string | null = null;
  const newest = newestOf(source, options.newestBytes, onDamage);
  const answered: { readonly id: string | null; readonly parentId: string }[] = [];
  const known = createIdTable();
  for (const record of newest.records) {
    options.signal?.throwIfAborted();
    const parts = readParts(source, record, (sentence) => {
      damaged.add(index.count);
      onDamage(sentence);
    });
    foldMessageFacts(facts, record, options.sessionId);
    for (const part of parts) foldPartFacts(facts, part, options.sessionId);
    const own = typedText(record, parts);
    foldIndex(index, record, toMessages(record, parts, { native: false }), own);
    typed ??= own;
    kept.add(index.count - 1, { record, parts });
    if (record.id !== null) known.intern(record.id);
    // The message that it answers stands before it, but for damage.
    if (record.parentId !== null && known.find(record.parentId) === -1) {
      answered.push({ id: record.id, parentId: record.parentId });
    }
  }
  if (!newest.partial) {
    for (const { id, parentId } of answered) {
      if (known.find(parentId) !== -1) continue;
      const message = `message ${id?.slice(0, 80)} answers ${parentId.slice(0, 80)}, which is not here`;
      facts.problems.add({ code: "dangling_parent", line: null, message });
    }
    const onStrays = (sentence: string): void => {
      areStraysDamaged = true;
      onDamage(sentence);
    };
    for (const stray of readAll(() => source.strays(), onStrays)) foldStray(facts, stray);
  }
  for (const { code, message } of readOr(() => source.problems(), [], onDamage)) {
    facts.problems.add({ code, line: null, message });
  }
  return { index, facts, kept: kept.all, damaged, areStraysDamaged, typed, partial: newest.partial };
}

interface Newest {
  readonly records: Iterable<NativeRecord>;
  readonly partial: boolean;
}

/** All messages, or the newest ones of about so many bytes: at least one, and from one of the user on where there is. */
function newestOf(
  source: SessionSource,
  newestBytes: number | undefined,
  onDamage: (sentence: string) => void,
): Newest {
  const all = { records: readAll(() => source.messages("oldest"), onDamage), partial: false };
  if (newestBytes === undefined) return all;
  const newest: NativeRecord[] = [];
  let bytes = 0;
  for (const record of readAll(() => source.messages("newest"), onDamage)) {
    if (bytes > newestBytes && newest.at(-1)?.data?.role === "user") {
      return { records: newest.reverse(), partial: true };
    }
    newest.push(record);
    bytes += readOr(() => source.sizeOf(record), record.sizeBytes, onDamage);
  }
  return all;
}

interface Kept {
  readonly all: ReadonlyMap<number, Whole>;
  add(at: number, whole: Whole): void;
}

/** Forgets everything that can be read again once it is more than a small session. */
function createKept(inMemory: boolean, keep: "all" | undefined): Kept {
  const maxBytes = keptBytes(keep);
  const all = new Map<number, Whole>();
  let bytes = 0;
  return {
    all,
    add(at, whole) {
      const isKept = inMemory || whole.record.id === null;
      if (!isKept && bytes > maxBytes) return;
      all.set(at, whole);
      if (isKept) return;
      for (const { sizeBytes } of [whole.record, ...whole.parts]) bytes += sizeBytes;
      if (bytes <= maxBytes) return;
      for (const [place, { record }] of all) if (record.id !== null) all.delete(place);
    },
  };
}
