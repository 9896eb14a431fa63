/** The tables of the index. A change of the tables, or of the meaning of their values, needs a new version. */

import type { DatabaseSync } from "node:sqlite";
import { quotedName } from "@continuo/files";
import { MERGED_SEGMENTS, WORDS_MEMORY_BYTES } from "./limits.ts";

/** `PRAGMA user_version`. */
export const SCHEMA_VERSION = 15;

/** `PRAGMA application_id`, which distinguishes an index from the database of another program: "Cnti". */
export const APPLICATION_ID = 0x436e7469;

/**
 * - `files`: answers of skims, by path; `usage`: the token counts of full reads, which no list needs
 * - `brief`: for each of these two tables one row with short answers about every file, and the row `lines`, with a line
 *   for each session that is one file
 * - `sessions`: one row for each session whose text is in the index; `stamp` is empty until all of the text is there,
 *   `writer` names the process that writes it, `beside` has the stamps of other files that the text comes from
 * - `turns`: `id` is the row of `words`; `hash` shows whether a turn is unchanged
 * - `chunks`: the texts of several turns, compressed together
 * - `scans`: the compressed state from which a scan continues when the session has grown; present only while no process
 *   writes the text of the session
 * - `words`: the words of each turn, a column for each voice, and the parts of names in code that are not injected
 *
 * Empties the file, and creates every table. Must be called within a transaction.
 */
export function createSchema(database: DatabaseSync): void {
  const tables = database
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'words_%'",
    )
    .all();
  for (const { name } of tables) {
    database.exec(`drop table if exists ${quotedName(String(name))}`);
  }
  database.exec(`
    create table files (
      path text not null primary key,
      stamp text not null,
      answers text not null,
      checksum integer not null
    ) strict;
    create table usage (
      path text not null primary key,
      stamp text not null,
      answers text not null,
      checksum integer not null
    ) strict;
    create table brief (
      name text not null primary key,
      entries blob not null,
      numbers blob not null,
      checksum integer not null
    ) strict;
    create table sessions (
      id integer primary key autoincrement,
      key text not null unique,
      source text not null,
      stamp text not null,
      beside text not null,
      writer text,
      cut_chars integer not null
    ) strict;
    create table turns (
      id integer primary key autoincrement,
      session integer not null,
      number integer not null,
      message text not null,
      at text,
      tools text not null,
      files text not null,
      errors integer not null,
      hash text not null,
      chunk integer not null,
      unique (session, number)
    ) strict;
    create table chunks (
      id integer primary key autoincrement,
      session integer not null,
      passages blob not null
    ) strict;
    create table scans (
      session integer primary key,
      kept blob not null
    ) strict;
    create index chunks_by_session on chunks (session);
    create virtual table words using fts5(
      person, agent, call, result, other, parts,
      content = '', contentless_delete = 1, tokenize = 'ascii'
    );
    insert into words (words, rank) values ('hashsize', ${WORDS_MEMORY_BYTES});
    insert into words (words, rank) values ('automerge', ${MERGED_SEGMENTS});
    pragma application_id = ${APPLICATION_ID};
    pragma user_version = ${SCHEMA_VERSION};
  `);
}
