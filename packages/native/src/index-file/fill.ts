/**
 * Fills the index with the text of new or changed sessions, in the given order, until all are done or the time is over.
 * Completed work stays, and the next fill continues.
 */

import { randomUUID, hash as toHash } from "node:crypto";
import { setImmediate as otherWork, setTimeout as sleep } from "node:timers/promises";
import { ContinuoError, type Message } from "@continuo/core/model";
import { debugOf, reasonOf } from "@continuo/files";
import { type IndexUse, useIndex } from "./index-database.ts";
import { BATCH_CHARS, CHUNK_CHARS, WRITE_ATTEMPTS, WRITE_RETRY_MS } from "./limits.ts";
import {
  idsOf,
  type ResumePoint,
  resumePointOf,
  START_POINT,
  type StoredSteps,
  type StoredTurnLength,
  type TextSteps,
} from "./resume-point.ts";
import { storedSessions, storedTurnTexts } from "./stored-text.ts";
import {
  applyChanges,
  type NumberedTurn,
  packKept,
  type StoredText,
  type StoredTurn,
  storedTextOf,
  type TextChange,
} from "./text.ts";
import { type Turn, turnsOf } from "./turns.ts";

const debug = debugOf("index-file");

/** A session whose text can be read. */
export interface TextSource {
  /** Unique on this machine: the same session has the same key. */
  readonly key: string;
  /** Changes whenever the text may have changed; `null` if that is not reliable yet. */
  readonly stamp: string | null;
  readonly sizeBytes: number;
  /** Errors: `ContinuoError` if it cannot be read. */
  open(signal: AbortSignal | undefined, before: PreviousScan | null): Promise<OpenText>;
}

/** The stored result of the last reading of the session. */
export interface PreviousScan {
  readonly scan: unknown;
  readonly beside: Readonly<Record<string, string>>;
}

export interface OpenText extends Disposable {
  /** The facts that a search needs to filter, show and open the session, as JSON. */
  readonly source: string;
  readonly steps: TextSteps;
  /** Stamps, by name, of files outside the session on which the text depends, taken before the text was read. */
  readonly beside: Readonly<Record<string, string>>;
}

export interface FillOptions {
  /** In the order in which they should be read. */
  readonly sources: readonly TextSource[];
  readonly signal?: AbortSignal;
  /** Called before each session: `false` ends the fill. */
  readonly goOn?: () => boolean;
  readonly onProgress?: (done: FillProgress) => void;
  /** Text that one transaction writes, in characters; `BATCH_CHARS` by default. */
  readonly batchChars?: number;
}

export interface FillProgress {
  readonly sessions: number;
  readonly sizeBytes: number;
}

export interface FillResult extends FillProgress {
  /** The keys of the sessions whose text is in the index now. */
  readonly filled: ReadonlySet<string>;
  /** Why sessions could not be read, by key. */
  readonly failures: ReadonlyMap<string, unknown>;
  /** Sessions that are still missing, because the time was over. */
  readonly left: number;
}

/** Errors: `unwritable` if the index cannot be written; everything that was written before stays. */
export async function fillText(path: string, options: FillOptions): Promise<FillResult> {
  const writer = createBatch(path, options.batchChars ?? BATCH_CHARS);
  const known = await keysOf(path);
  const filled = new Set<string>();
  const failures = new Map<string, unknown>();
  let [sessions, sizeBytes] = [0, 0];
  for (const source of options.sources) {
    if (options.goOn?.() === false) break;
    options.signal?.throwIfAborted();
    try {
      await fillSession(path, source, {
        batch: writer,
        isNew: !known.has(source.key),
        signal: options.signal,
      });
      filled.add(source.key);
    } catch (error) {
      if (options.signal?.aborted === true || error instanceof IndexWriteError) throw error;
      failures.set(source.key, error);
    }
    sessions += 1;
    sizeBytes += source.sizeBytes;
    options.onProgress?.({ sessions, sizeBytes });
    // Small files are read and written without a pause. Without this, Ctrl-C and other requests to this process would
    // have to wait.
    await otherWork();
  }
  await writer.flush();
  debug("filled", () => ({
    sessions,
    sizeBytes,
    failures: failures.size,
    left: options.sources.length - sessions,
  }));
  return { sessions, sizeBytes, filled, failures, left: options.sources.length - sessions };
}

/** Removes the text of sessions that are gone. */
export async function removeText(path: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const changes = keys.map((key): TextChange => ({ type: "remove", key }));
  await useIndex(path, "write", (database) => applyChanges(database, changes, ""));
}

/** Ends the fill, because the rest of a session must not follow a part that was not written. */
class IndexWriteError extends ContinuoError {}

function notWritten(path: string, { state, cause }: { readonly state: string; readonly cause?: unknown }) {
  const why = cause === undefined ? `it is ${state}` : reasonOf(cause);
  return new IndexWriteError("unwritable", `cannot write the index ${path}: ${why}`, {
    hint:
      state === "newer"
        ? "Use the newer version of Continuo that made it, or delete the file."
        : "Check the permissions of the file and the space on the disk, and try again. Without it, a search reads the sessions themselves.",
  });
}

/** Errors: `unwritable` for changes that SQLite refuses: trying them again would not help. */
async function writeChanges(
  path: string,
  changes: readonly TextChange[],
  writer: string,
): Promise<IndexUse<void>> {
  try {
    return await useIndex(path, "write", (database) => applyChanges(database, changes, writer));
  } catch (cause) {
    throw new IndexWriteError("unwritable", `cannot write the index ${path}: ${reasonOf(cause)}`, {
      cause,
      hint: "Run `continuo index rebuild`. Report it if that fails in the same way: a search reads the sessions themselves.",
    });
  }
}

interface Batch {
  add(change: TextChange, chars: number): Promise<void>;
  flush(): Promise<void>;
}

function createBatch(path: string, maxChars: number): Batch {
  const writer = randomUUID();
  let changes: TextChange[] = [];
  let chars = 0;
  const flush = async (): Promise<void> => {
    const written = changes;
    [changes, chars] = [[], 0];
    if (written.length === 0) return;
    for (let attempt = 1; ; attempt++) {
      const used = await writeChanges(path, written, writer);
      if (used.state === "ready") return;
      if (used.state === "newer" || attempt === WRITE_ATTEMPTS) throw notWritten(path, used);
      await sleep(WRITE_RETRY_MS);
    }
  };
  return {
    async add(change, more) {
      changes.push(change);
      chars += more;
      if (chars > maxChars) await flush();
    },
    flush,
  };
}

interface FillContext {
  readonly batch: Batch;
  /** True if the index had no turn of the session when the fill began. */
  readonly isNew: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Turns that exist already stay as they are. If a grown session can be continued, such turns are not even read;
 * otherwise they are recognized by their hashes.
 */
async function fillSession(
  path: string,
  { key, stamp, open }: TextSource,
  { batch, isNew, signal }: FillContext,
): Promise<void> {
  const known = isNew ? NOTHING_STORED : await readStored(path, key);
  using text = await open(signal, known.kept && { scan: known.kept.scan, beside: known.beside });
  const { source } = text;
  const { goOn, turns: again } = await turnsToKeep(path, key, { known, steps: text.steps });
  const read = readFrom(text.steps, goOn);
  const turns: StoredTurnLength[] = [...(known.kept?.turns.slice(0, goOn.turns) ?? [])];
  let chunk = createChunk();
  for (const turn of again.slice(0, goOn.turns - goOn.stay)) chunk.add(turn);
  let [number, keep] = [goOn.turns, goOn.stay];
  let begun = false;
  const begin = async (): Promise<void> => {
    if (!begun) await batch.add({ type: "begin", key, source, kept: hashesOf(known.turns, keep) }, 0);
    begun = true;
  };
  const write = async (): Promise<void> => {
    await begin();
    if (chunk.turns.length > 0) await batch.add({ type: "turns", key, turns: chunk.turns }, chunk.chars);
    chunk = createChunk();
  };
  const last = goOn.isOpen ? (again.at(-1) ?? null) : null;
  for await (const turn of turnsOf(read.messages, last, goOn.turns > 0 || last !== null)) {
    number += 1;
    turns.push([turn.messages, turn.cutChars]);
    // The chunk is made from the same text.
    const json = JSON.stringify(turn.passages);
    const hash = hashOf(turn, json);
    chunk.add({ ...turn, number, hash, json });
    const before = begun ? undefined : known.turns[number - 1];
    if (before?.hash !== hash) {
      if (chunk.chars > CHUNK_CHARS) await write();
      else await begin();
    } else if (known.turns[number]?.chunk !== before.chunk) {
      // The existing chunk ends with this turn, and is unchanged.
      keep = number;
      chunk = createChunk();
    }
  }
  await write();
  const beside = JSON.stringify(text.beside);
  const cutChars = turns.reduce((sum, [, cut]) => sum + cut, 0);
  const kept = toKept(text.steps, read.kept, turns);
  await batch.add(
    { type: "end", key, source, stamp: stamp ?? "", beside, cutChars, kept },
    kept?.length ?? 0,
  );
}

interface TurnsToKeep {
  readonly goOn: ResumePoint;
  /** The turns, read from the index, that change their position, and the one that may continue. */
  readonly turns: readonly NumberedTurn[];
}

async function turnsToKeep(
  path: string,
  key: string,
  { known, steps }: { readonly known: StoredText; readonly steps: TextSteps },
): Promise<TurnsToKeep> {
  const goOn = resumePointOf(known.kept, steps, known.turns);
  const range = { after: goOn.stay, to: goOn.turns + (goOn.isOpen ? 1 : 0) };
  if (range.after === range.to) return { goOn, turns: [] };
  const used = await useIndex(path, "read", (database) => storedTurnTexts(database, key, range));
  const texts = used.state === "ready" ? used.value : [];
  const isThere = texts.length === range.to - range.after;
  const turns = texts.map((turn): NumberedTurn => {
    const [messages, cutChars] = known.kept?.turns[turn.number - 1] ?? [0, 0];
    return { ...turn, messages, cutChars, json: JSON.stringify(turn.passages) };
  });
  // Another process may have written the session in the meantime. Injected text is in the same turn as the first
  // question, which may be in the new part.
  const isLeadIn =
    goOn.turns === 0 && turns.at(-1)?.passages.every(({ voice }) => voice === "other") === true;
  const isSame =
    isThere && !isLeadIn && turns.every(({ number, hash }) => known.turns[number - 1]?.hash === hash);
  return isSame ? { goOn, turns } : { goOn: START_POINT, turns: [] };
}

interface MessageSteps {
  readonly messages: AsyncIterable<Message>;
  /** The steps that were kept without reading, and those that were read. */
  readonly kept: [key: string, messages: number | readonly string[]][];
}

function readFrom(steps: TextSteps, { step: from, skip, kept: before }: ResumePoint): MessageSteps {
  const kept = steps.keys.map((key, at): MessageSteps["kept"][number] => [key, before[at]?.[1] ?? 0]);
  const messages = async function* (): AsyncGenerator<Message, void, void> {
    let left = skip;
    for await (const { step, messages } of steps.read(from, idsOf(before))) {
      const entry = kept[step];
      if (entry !== undefined) entry[1] = steps.withIds ? messages.map(({ id }) => id) : messages.length;
      yield* messages.slice(left);
      left = Math.max(0, left - messages.length);
    }
  };
  return { messages: messages(), kept };
}

function toKept(
  steps: TextSteps,
  kept: MessageSteps["kept"],
  turns: readonly StoredTurnLength[],
): Uint8Array | null {
  const saved = steps.saved();
  if (saved === null) return null;
  const { scan, settled } = saved;
  const all: StoredSteps = { scan, withIds: steps.withIds, steps: kept.slice(0, settled), turns };
  return packKept(all);
}

/** Returns the scan that the last fill kept, so that it can continue; `null` if there is none. */
export async function storedScan(path: string, key: string): Promise<PreviousScan | null> {
  const { kept, beside } = await readStored(path, key);
  return kept && { scan: kept.scan, beside };
}

async function readStored(path: string, key: string): Promise<StoredText> {
  const used = await useIndex(path, "read", (database) => storedTextOf(database, key));
  return used.state === "ready" ? used.value : NOTHING_STORED;
}

const NOTHING_STORED: StoredText = { turns: [], kept: null, beside: {} };

async function keysOf(path: string): Promise<ReadonlySet<string>> {
  return new Set((await storedSessions(path)).map(({ key }) => key));
}

interface Chunk {
  readonly turns: NumberedTurn[];
  chars: number;
  add(turn: NumberedTurn): void;
}

function createChunk(): Chunk {
  return {
    turns: [],
    chars: 0,
    add(turn) {
      this.turns.push(turn);
      for (const { text } of turn.passages) this.chars += text.length;
    },
  };
}

function hashesOf(known: readonly StoredTurn[], keep: number): string {
  return known
    .slice(0, keep)
    .map(({ hash }) => hash)
    .join(" ");
}

function hashOf({ passages, ...facts }: Turn, json: string): string {
  return toHash("sha1", `${JSON.stringify(facts)}${json}`, "base64url").slice(0, 16);
}
