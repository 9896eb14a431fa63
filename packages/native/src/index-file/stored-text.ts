/** Reads the text of sessions in the index: the stored sessions, and turns that match. */

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { fromRow } from "./damage.ts";
import { useIndex } from "./index-database.ts";
import { MAX_BATCH_BYTES } from "./limits.ts";
import type { ChunkTurns, NumberedTurn } from "./text.ts";
import type { Passage } from "./turns.ts";

/** A session whose text is in the index, in its state at the last fill. */
export interface StoredSession {
  readonly id: number;
  readonly key: string;
  /** Empty while the session is being filled, or if the files had changed just before. */
  readonly stamp: string;
  /** Stamps of other files that the text came from, by path. */
  readonly beside: Readonly<Record<string, string>>;
  readonly cutChars: number;
  /** True if no process is writing it. */
  readonly isComplete: boolean;
  /** True if other sessions may be the same conversation. */
  readonly hasNativeRefs: boolean;
  /** `source` of `OpenText`, only for a session with sub-agents in its own file. */
  readonly withInside: string | null;
}

export async function storedSessions(path: string): Promise<readonly StoredSession[]> {
  const used = await useIndex(path, "read", readSessions);
  return used.state === "ready" ? used.value : [];
}

function readSessions(database: DatabaseSync): StoredSession[] {
  // Few sessions have references or sub-agents, and the JSON of thousands of others would only fill the memory.
  const select = database.prepare(
    `select id, key, stamp, beside, cut_chars, writer, instr(source, '"nativeRefs":[]') = 0,
       case when instr(source, '"inside":[]') = 0 then source end
     from sessions`,
  );
  select.setReturnArrays(true);
  const sessions: StoredSession[] = [];
  for (const row of select.iterate()) {
    const [id, key, stamp, beside, cutChars, writer, hasRefs, withInside] = row as unknown as SessionColumns;
    sessions.push({
      id,
      key,
      stamp,
      // Few sessions depend on another file.
      beside: beside === "{}" ? NOTHING_BESIDE : fromRow(() => JSON.parse(beside)),
      cutChars,
      isComplete: writer === null,
      hasNativeRefs: hasRefs === 1,
      withInside,
    });
  }
  return sessions;
}

const NOTHING_BESIDE: StoredSession["beside"] = {};

type SessionColumns = readonly [
  id: number,
  key: string,
  stamp: string,
  beside: string,
  cutChars: number,
  writer: string | null,
  hasRefs: number,
  withInside: string | null,
];

export interface SourceReader {
  /** Returns `source` of `OpenText` by the number of the session. */
  (id: number): string;
  /** Reads those of several sessions by one statement. */
  expect(ids: readonly number[]): void;
}

/** Valid only while the same index is open, for sessions that are in it. */
export function createSourceReader(database: DatabaseSync): SourceReader {
  const several = database.prepare(
    "select id, source from sessions where id in (select value from json_each(?))",
  );
  several.setReturnArrays(true);
  // A filter reads each session by itself, and a list of one id as JSON costs three times as much.
  const one = database.prepare("select source from sessions where id = ?");
  one.setReturnArrays(true);
  const expected = new Map<number, string>();
  const expect: SourceReader["expect"] = (ids) => {
    for (const [id, source] of several.all(JSON.stringify(ids)) as unknown as [number, string][]) {
      expected.set(id, source);
    }
  };
  const read = (id: number): string => {
    const source = expected.get(id) ?? (one.get(id) as unknown as [string] | undefined)?.[0];
    if (source === undefined) throw new Error(`session ${id} is not in the index`);
    // The caller keeps what it makes of the text.
    expected.delete(id);
    return source;
  };
  return Object.assign(read, { expect });
}

/**
 * The stamps of all sessions; `null` for a session that a process is writing. Valid only while the same index is open.
 */
export function stampsOfSessions(
  database: DatabaseSync,
): readonly (readonly [session: number, stamp: string | null])[] {
  const select = database.prepare("select id, iif(writer is null, stamp, null) from sessions");
  select.setReturnArrays(true);
  return select.all() as unknown as readonly (readonly [session: number, stamp: string | null])[];
}

export interface TurnMatch {
  readonly id: number;
  readonly session: number;
  readonly number: number;
  readonly messageId: string;
  readonly at: string | null;
  readonly tools: readonly string[];
  readonly files: readonly string[];
  readonly errors: number;
  readonly chunk: number;
}

/** A condition that SQLite checks for each turn with the words, before it ranks the turn. */
export interface TurnCondition {
  /** An SQL expression over the columns of `turns`, `TURN_TIME`, and the function `lists_match(tools, files)`. */
  readonly sql: string;
  /** The values of the named parameters in `sql`. */
  readonly values: Readonly<Record<string, string>>;
  readonly listsMatch: (tools: readonly string[], files: readonly string[]) => boolean;
}

export interface RankedTurnsQuery {
  /** An expression of FTS5 over the columns of `words`; every turn by default, with a score of 0. */
  readonly match?: string | undefined;
  /** Weights of the columns of `words`. */
  readonly weights: readonly number[];
  /** An SQL expression over `score` and `at_ms`, which can be null: a greater value is better. */
  readonly rank: string;
  /** The values of the named parameters in `rank`. */
  readonly values: Readonly<Record<string, number>>;
  readonly condition?: TurnCondition | undefined;
  /** Sessions whose turns do not count. */
  readonly without: readonly number[];
}

export interface BestTurnsQuery extends RankedTurnsQuery {
  /** The number of the best sessions, and those that rank equally with the last of them; all by default. */
  readonly sessions?: number | undefined;
}

export interface BestTurns {
  /** The turns of the best sessions, the best session first, and in it the best turn. */
  readonly turns: readonly (readonly [id: number, session: number, rank: number])[];
  /** The number of all sessions with a turn that matches. */
  readonly total: number;
}

/** SQLite reads a time in this form as JavaScript does, and needs no function of JavaScript for it. */
const ISO_TIME =
  "[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]Z";

/** The time of a turn, in SQL. A turn without a time has that of its session. */
export const TURN_TIME =
  "coalesce(at, (select source ->> '$.updatedAt' from sessions where sessions.id = turns.session))";

/**
 * Ranks sessions by their best turns. A common word has tens of thousands of turns, of which SQLite returns only those
 * of the best sessions.
 */
export function bestTurns(
  database: DatabaseSync,
  { sessions = Number.MAX_SAFE_INTEGER, ...query }: BestTurnsQuery,
): BestTurns {
  const { select, given } = selectRanked(database, query, {
    columns: "id, session, number",
    from: `best as (select session, max(rank) as rank from ranked group by session),
       placed as (
         select session, rank, count(*) over () as total, rank() over (order by rank desc) as place from best
       )
     select ranked.id, ranked.session, ranked.rank, total
     from placed join ranked on ranked.session = placed.session where place <= $sessions
     order by place, ranked.session, ranked.rank desc, number`,
  });
  const rows = select.all({ ...given, sessions }) as unknown as readonly (readonly [
    number,
    number,
    number,
    number,
  ])[];
  return { turns: rows.map(([id, session, one]) => [id, session, one] as const), total: rows[0]?.[3] ?? 0 };
}

export type RankedTurn = readonly [id: number, session: number, rank: number, number: number, chunk: number];

/**
 * The turns session by session, and chunk by chunk, so that each chunk is decompressed once. The chunk with the best turn
 * comes first, and in it this turn. Only one row is in memory at a time.
 */
export function rankedTurns(database: DatabaseSync, query: RankedTurnsQuery): Iterable<RankedTurn> {
  const { select, given } = selectRanked(database, query, {
    columns: "id, session, number, chunk",
    from: `placed as (select *, max(rank) over (partition by session, chunk) as of_chunk from ranked)
     select id, session, rank, number, chunk from placed
     order by session, of_chunk desc, chunk, rank desc, number`,
  });
  return select.iterate(given) as unknown as Iterable<RankedTurn>;
}

/** Prepares a statement over `ranked`, which has the rank of each turn that matches and these columns of it. */
function selectRanked(
  database: DatabaseSync,
  { match, weights, rank, values, condition, without }: RankedTurnsQuery,
  { columns, from }: { readonly columns: string; readonly from: string },
): { readonly select: StatementSync; readonly given: Record<string, SQLInputValue> } {
  database.function("parsed_ms", { deterministic: true }, (time) => {
    const atMs = typeof time === "string" ? Date.parse(time) : Number.NaN;
    return Number.isNaN(atMs) ? null : atMs;
  });
  if (condition !== undefined) {
    const { listsMatch } = condition;
    database.function("lists_match", { deterministic: true }, (tools, files) =>
      Number(listsMatch(parseList(String(tools)), parseList(String(files)))),
    );
  }
  const score = match === undefined ? "0.0" : `-bm25(words, ${weights.join(", ")})`;
  const source = match === undefined ? "turns" : "words join turns on turns.id = words.rowid";
  const conditions = [
    ...(match === undefined ? [] : ["words match $match"]),
    "session not in (select value from json_each($without))",
    ...(condition === undefined ? [] : [`(${condition.sql})`]),
  ];
  const select = database.prepare(
    `with
       scored as materialized (
         select turns.id as id, session, number, chunk, at, ${score} as score
         from ${source} where ${conditions.join(" and ")}
       ),
       timed as (
         select ${columns}, score, case
           when at glob '${ISO_TIME}' then round(unixepoch(at, 'subsec') * 1000)
           else parsed_ms(${TURN_TIME})
         end as at_ms from scored as turns
       ),
       ranked as materialized (select ${columns}, ${rank} as rank from timed),
       ${from}`,
  );
  select.setReturnArrays(true);
  const words = match === undefined ? {} : { match };
  return { select, given: { ...words, without: JSON.stringify(without), ...values, ...condition?.values } };
}

const TURN_COLUMNS = "turns.id, session, number, message, at, tools, files, errors, chunk";

type TurnColumns = readonly [
  id: number,
  session: number,
  number: number,
  messageId: string,
  at: string | null,
  tools: string,
  files: string,
  errors: number,
  chunk: number,
];

/** A common word has tens of thousands of turns, so each has few fields, and JSON is parsed only on request. */
class MatchRow implements TurnMatch {
  readonly #row: TurnColumns;

  constructor(row: TurnColumns) {
    this.#row = row;
  }

  get id(): number {
    return this.#row[0];
  }

  get session(): number {
    return this.#row[1];
  }

  get number(): number {
    return this.#row[2];
  }

  get messageId(): string {
    return this.#row[3];
  }

  get at(): string | null {
    return this.#row[4];
  }

  get tools(): readonly string[] {
    return parseList(this.#row[5]);
  }

  get files(): readonly string[] {
    return parseList(this.#row[6]);
  }

  get errors(): number {
    return this.#row[7];
  }

  get chunk(): number {
    return this.#row[8];
  }
}

function parseList(json: string): readonly string[] {
  return fromRow(() => JSON.parse(json));
}

/** The turns that match an expression, by `TurnMatch.id`, with their scores of BM25: greater is better. */
export function scoreTurns(
  database: DatabaseSync,
  match: string,
  weights: readonly number[],
): readonly (readonly [id: number, score: number])[] {
  const select = database.prepare(
    `select rowid, -bm25(words, ${weights.map(() => "?").join(", ")}) from words where words match ?`,
  );
  select.setReturnArrays(true);
  return select.all(...weights, match) as unknown as readonly (readonly [number, number])[];
}

/** The turns with these values of `id`, in no particular order. */
export function turnsByIds(database: DatabaseSync, ids: readonly number[]): TurnMatch[] {
  const select = database.prepare(
    `select ${TURN_COLUMNS} from turns where id in (select value from json_each(?))`,
  );
  select.setReturnArrays(true);
  return select.all(JSON.stringify(ids)).map((row) => new MatchRow(row as unknown as TurnColumns));
}

/** Counts all turns, or those that match an expression. */
export function countTurns(database: DatabaseSync, match?: string): number {
  const row =
    match === undefined
      ? database.prepare("select count(*) as count from turns").get()
      : database.prepare("select count(*) as count from words where words match ?").get(match);
  return Number(row?.count);
}

/** A turn in the chunk with its texts. */
export type TurnPlace = Pick<TurnMatch, "chunk" | "number">;

/** The texts of one turn. */
export function passagesOf(database: DatabaseSync, turn: TurnPlace): readonly Passage[] {
  return createPassageReader(database)(turn);
}

/** Reads the texts of turns. For several turns of a chunk, one after the other, the chunk is decompressed once. */
export function createPassageReader(database: DatabaseSync): (turn: TurnPlace) => readonly Passage[] {
  const select = database.prepare("select passages from chunks where id = ?");
  let last: { readonly chunk: number | null; readonly turns: ChunkTurns } = { chunk: null, turns: [] };
  return ({ chunk, number }) => {
    if (last.chunk !== chunk) {
      const row = select.get(chunk);
      last = { chunk, turns: row === undefined ? [] : decompress(row.passages as Uint8Array) };
    }
    return last.turns.find(([one]) => one === number)?.[1] ?? [];
  };
}

/** The turns in their written form, except for content that is not in their rows. */
export type StoredTurnText = Omit<NumberedTurn, "messages" | "cutChars" | "json">;

/** Reads some turns of a session, in order. While another process writes the session, turns may be missing. */
export function storedTurnTexts(
  database: DatabaseSync,
  key: string,
  { after, to }: { readonly after: number; readonly to: number },
): StoredTurnText[] {
  const rows = database
    .prepare(
      `select number, hash, message, at, tools, files, errors, chunk, passages
       from turns join chunks on chunks.id = turns.chunk
       where turns.session = (select id from sessions where key = ?) and number > ? and number <= ?
       order by number`,
    )
    .iterate(key, after, to);
  const turns: StoredTurnText[] = [];
  let last: { readonly chunk: unknown; readonly texts: ChunkTurns } = { chunk: null, texts: [] };
  for (const row of rows) {
    if (row.chunk !== last.chunk) last = { chunk: row.chunk, texts: decompress(row.passages as Uint8Array) };
    turns.push({
      number: Number(row.number),
      hash: String(row.hash),
      messageId: String(row.message),
      at: row.at === null ? null : String(row.at),
      errors: Number(row.errors),
      tools: parseList(String(row.tools)),
      files: parseList(String(row.files)),
      passages: last.texts.find(([one]) => one === row.number)?.[1] ?? [],
    });
  }
  return turns;
}

function decompress(bytes: Uint8Array): ChunkTurns {
  return fromRow(() =>
    JSON.parse(zstdDecompressSync(bytes, { maxOutputLength: MAX_BATCH_BYTES }).toString("utf8")),
  );
}
