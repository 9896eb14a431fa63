/**
 * The readable part of a database that is cut off: its rows in memory, so that sessions are read as from a
 * whole one. SQLite refuses a file that is shorter than its first page says; with `writable_schema` it reads
 * the pages that exist.
 */

import { statSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { quotedName } from "@continuo/files";
import { MAX_SALVAGE_BYTES, MAX_SALVAGE_PROBES } from "./limits.ts";

const TABLES = ["project", "workspace", "session", "message", "part", "session_v2", "session_message"];
const INDEXES: Readonly<Record<string, readonly string[]>> = {
  session: ["id", "parent_id"],
  message: ["id", "session_id"],
  part: ["id", "message_id", "session_id"],
  session_v2: ["id", "parent_id"],
  session_message: ["id", "session_id"],
};

/** `null` if the file is too large, or no session can be found in it. */
export function salvage(Sqlite: typeof DatabaseSync, path: string, url: URL): DatabaseSync | null {
  if (statSync(path).size > MAX_SALVAGE_BYTES) return null;
  const damaged = new Sqlite(url, { readOnly: true, defensive: false });
  const copy = new Sqlite(":memory:");
  try {
    damaged.exec("pragma trusted_schema = off; pragma cell_size_check = on; pragma writable_schema = on");
    for (const table of TABLES) copyTable(damaged, copy, table);
    const sessions = "select 1 from sqlite_schema where name in ('session', 'session_v2')";
    if (copy.prepare(sessions).all().length > 0) return copy;
  } catch (error) {
    copy.close();
    throw error;
  } finally {
    damaged.close();
  }
  copy.close();
  return null;
}

function copyTable(damaged: DatabaseSync, copy: DatabaseSync, table: string): void {
  const columns = orNull(() => damaged.prepare("select name from pragma_table_info(?)").all(table)) ?? [];
  const names = columns.map(({ name }) => quotedName(String(name)));
  if (names.length === 0) return;
  copy.exec(`create table "${table}" (${names.join(", ")})`);
  for (const column of INDEXES[table] ?? []) {
    if (names.includes(`"${column}"`))
      copy.exec(`create index "${table}_${column}" on "${table}" ("${column}")`);
  }
  const insert = copy.prepare(`insert into "${table}" values (${names.map(() => "?").join(", ")})`);
  copy.exec("begin");
  for (const row of rowsOf(damaged, table, names)) insert.run(...row);
  copy.exec("commit");
}

/** The rows are in the order of `rowid`; rows on lost pages are skipped. */
function* rowsOf(
  database: DatabaseSync,
  table: string,
  names: readonly string[],
): Generator<SQLInputValue[], void, void> {
  const from = orNull(() =>
    database.prepare(
      `select rowid, ${names.join(", ")} from "${table}" not indexed where rowid >= ? order by rowid`,
    ),
  );
  if (from === null) return;
  from.setReturnArrays(true);
  from.setReadBigInts(true);
  const probes = { left: MAX_SALVAGE_PROBES };
  for (let next: bigint | null = 1n; next !== null; ) {
    let last: bigint = next - 1n;
    const rows = from.iterate(last + 1n) as unknown as Iterator<readonly SQLInputValue[]>;
    for (;;) {
      const step = orNull(() => rows.next());
      if (step?.done) return;
      if (step === null) break;
      const [rowid, ...row] = step.value;
      last = rowid as bigint;
      yield row;
    }
    next = afterHole(from, last + 1n, probes);
  }
}

const LAST_ROWID = 2n ** 62n;

/** The first `rowid` from which rows can be read again; `null` if there is none. */
function afterHole(from: StatementSync, start: bigint, probes: { left: number }): bigint | null {
  const canRead = (rowid: bigint): boolean => {
    probes.left -= 1;
    return orNull(() => [from.get(rowid)]) !== null;
  };
  let step = 1n;
  while (!canRead(start + step)) {
    step *= 2n;
    if (start + step > LAST_ROWID || probes.left <= 0) return null;
  }
  let lost = start + step / 2n;
  let found = start + step;
  while (found - lost > 1n && probes.left > 0) {
    const middle = (lost + found) / 2n;
    if (canRead(middle)) found = middle;
    else lost = middle;
  }
  return found;
}

/** SQLite reports lost pages by an error. */
function orNull<T>(run: () => T): T | null {
  try {
    return run();
  } catch (error) {
    if (error instanceof Error && "errcode" in error) return null;
    throw error;
  }
}
