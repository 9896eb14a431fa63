/**
 * Writes the text of sessions into the index, in batches. A batch has whole turns and is one transaction, and `stamp`
 * is set last, so that a killed process leaves an incomplete session, but never a wrong one.
 */

import type { DatabaseSync } from "node:sqlite";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { fromRow } from "./damage.ts";
import { inTransaction } from "./index-database.ts";
import { MAX_KEPT_BYTES } from "./limits.ts";
import type { StoredSteps } from "./resume-point.ts";
import { type Passage, type Turn, VOICES } from "./turns.ts";
import { NO_TOTALS, plus, subtractTotals, totalsAfter, type WordTotals } from "./word-totals.ts";
import { foldWords, partsOf } from "./words.ts";

export interface StoredTurn {
  readonly number: number;
  readonly hash: string;
  readonly chunk: number;
}

/** The changes of one transaction, in order. */
export type TextChange =
  /**
   * Reserves the session for this process, so that other processes stop writing it. Keeps the first turns, if they
   * still have the hashes in `kept`.
   */
  | { readonly type: "begin"; readonly key: string; readonly source: string; readonly kept: string }
  | { readonly type: "turns"; readonly key: string; readonly turns: readonly NumberedTurn[] }
  | {
      readonly type: "end";
      readonly key: string;
      readonly source: string;
      readonly stamp: string;
      readonly beside: string;
      readonly cutChars: number;
      /** The resume point, compressed; `null` if a later reading of the session must begin at its start. */
      readonly kept: Uint8Array | null;
    }
  | { readonly type: "remove"; readonly key: string };

export interface NumberedTurn extends Turn {
  readonly number: number;
  readonly hash: string;
  /** The passages in the form of a chunk. */
  readonly json: string;
}

/** The content of a chunk as JSON: its turns by number, with their passages. */
export type ChunkTurns = readonly (readonly [number: number, passages: readonly Passage[]])[];

/** The separator between two texts of a turn, so that no phrase matches across them. No word contains it. */
const BETWEEN_TEXTS = " \ue000 ";

/** @param writer identifies this process and this update of the index; a session that another writer took is skipped */
export function applyChanges(database: DatabaseSync, changes: readonly TextChange[], writer: string): void {
  inTransaction(database, () => {
    const removed = changes.map((change) => apply(database, change, writer));
    subtractTotals(database, removed.reduce(plus, NO_TOTALS));
  });
}

/** Returns the totals of the turns that it removed. */
function apply(database: DatabaseSync, change: TextChange, writer: string): WordTotals {
  if (change.type === "remove") return removeSession(database, change.key);
  if (change.type === "begin") return begin(database, change, writer);
  const session = sessionOf(database, change.key, writer);
  if (session === null) return NO_TOTALS;
  if (change.type === "turns") addTurns(database, session, change.turns);
  else end(database, session, change);
  return NO_TOTALS;
}

function end(
  database: DatabaseSync,
  session: number,
  { source, stamp, beside, cutChars, kept }: Extract<TextChange, { readonly type: "end" }>,
): void {
  database
    .prepare(
      "update sessions set source = ?, stamp = ?, beside = ?, cut_chars = ?, writer = null where id = ?",
    )
    .run(source, stamp, beside, cutChars, session);
  if (kept !== null) database.prepare("insert into scans (session, kept) values (?, ?)").run(session, kept);
}

export function storedTurnsOf(database: DatabaseSync, key: string): StoredTurn[] {
  const rows = database
    .prepare(
      `select number, hash, chunk from turns
       where session = (select id from sessions where key = ?) order by number`,
    )
    .all(key);
  return rows as unknown as StoredTurn[];
}

/** The stored facts about a session. All of them are read in one transaction. */
export interface StoredText {
  readonly turns: readonly StoredTurn[];
  readonly kept: StoredSteps | null;
  readonly beside: Readonly<Record<string, string>>;
}

export function storedTextOf(database: DatabaseSync, key: string): StoredText {
  database.exec("begin");
  try {
    const row = database
      .prepare(
        `select beside, kept from sessions left join scans on scans.session = sessions.id where key = ?`,
      )
      .get(key);
    const kept = row?.kept instanceof Uint8Array ? unpackKept(row.kept) : null;
    const beside = fromRow(() => JSON.parse(String(row?.beside ?? "{}")));
    return { turns: storedTurnsOf(database, key), kept, beside };
  } finally {
    database.exec("rollback");
  }
}

/** `null` if the text is larger than the limit for reading it back. */
export function packKept(kept: StoredSteps): Uint8Array | null {
  const bytes = Buffer.from(JSON.stringify(kept));
  const params = { [constants.ZSTD_c_checksumFlag]: 1 };
  return bytes.length > MAX_KEPT_BYTES ? null : zstdCompressSync(bytes, { params });
}

/** `null` for damaged text: the session is then read as a whole. */
function unpackKept(bytes: Uint8Array): StoredSteps | null {
  try {
    return JSON.parse(zstdDecompressSync(bytes, { maxOutputLength: MAX_KEPT_BYTES }).toString("utf8"));
  } catch {
    return null;
  }
}

function sessionOf(database: DatabaseSync, key: string, writer: string): number | null {
  const row = database.prepare("select id from sessions where key = ? and writer = ?").get(key, writer);
  return row === undefined ? null : Number(row.id);
}

/**
 * Does nothing if another process changed the turns: that process continues, and the session is indexed again later.
 */
function begin(
  database: DatabaseSync,
  { key, source, kept }: Extract<TextChange, { readonly type: "begin" }>,
  writer: string,
): WordTotals {
  const keep = kept === "" ? 0 : kept.split(" ").length;
  const stored = storedTurnsOf(database, key).slice(0, keep);
  if (stored.map(({ hash }) => hash).join(" ") !== kept) return NO_TOTALS;
  database
    .prepare(
      `insert into sessions (key, source, stamp, beside, writer, cut_chars) values (?, ?, '', '{}', ?, 0)
       on conflict (key) do update set stamp = '', writer = excluded.writer`,
    )
    .run(key, source, writer);
  const session = sessionOf(database, key, writer);
  return session === null ? NO_TOTALS : removeTurns(database, session, keep);
}

/** Removes every turn after `keep`, and returns their totals. `keep` is always at the end of a chunk. */
function removeTurns(database: DatabaseSync, session: number, keep: number): WordTotals {
  database.prepare("delete from scans where session = ?").run(session);
  const after = "session = ? and number > ?";
  // Even a query of `words` without a result makes SQLite write a separate segment with the words that the transaction
  // has added until then. Therefore, `turns` is queried first.
  if (database.prepare(`select 1 from turns where ${after} limit 1`).get(session, keep) === undefined)
    return NO_TOTALS;
  const removed = totalsAfter(database, session, keep);
  database
    .prepare(`delete from words where rowid in (select id from turns where ${after})`)
    .run(session, keep);
  database
    .prepare(`delete from chunks where id in (select chunk from turns where ${after})`)
    .run(session, keep);
  database.prepare(`delete from turns where ${after}`).run(session, keep);
  return removed;
}

function removeSession(database: DatabaseSync, key: string): WordTotals {
  const row = database.prepare("select id from sessions where key = ?").get(key);
  if (row === undefined) return NO_TOTALS;
  const removed = removeTurns(database, Number(row.id), 0);
  database.prepare("delete from sessions where id = ?").run(row.id ?? 0);
  return removed;
}

function addTurns(database: DatabaseSync, session: number, turns: readonly NumberedTurn[]): void {
  const texts = `[${turns.map(({ number, json }) => `[${number},${json}]`).join(",")}]`;
  const chunk = database
    .prepare("insert into chunks (session, passages) values (?, ?)")
    .run(session, zstdCompressSync(texts)).lastInsertRowid;
  const insertTurn = database.prepare(
    `insert into turns (session, number, message, at, tools, files, errors, hash, chunk)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertWords = database.prepare(
    "insert into words (rowid, person, agent, call, result, other, parts) values (?, ?, ?, ?, ?, ?, ?)",
  );
  for (const turn of turns) {
    const { lastInsertRowid } = insertTurn.run(
      ...[
        session,
        turn.number,
        turn.messageId,
        turn.at,
        JSON.stringify(turn.tools),
        JSON.stringify(turn.files),
      ],
      ...[turn.errors, turn.hash, chunk],
    );
    insertWords.run(lastInsertRowid, ...wordColumns(turn.passages));
  }
}

function wordColumns(passages: readonly Passage[]): string[] {
  const parts = new Set<string>();
  // All voices share one column for parts of names, so the parts of injected text (`other`) are left out.
  for (const { voice, text } of passages) if (voice !== "other") partsOf(text, parts);
  const voices = VOICES.map((voice) =>
    passages
      .filter((passage) => passage.voice === voice)
      .map(({ text }) => foldWords(text))
      .join(BETWEEN_TEXTS),
  );
  return [...voices, [...parts].join(" ")];
}
