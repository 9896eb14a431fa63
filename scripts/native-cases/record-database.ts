/** Writes opencode's database as a fixture: the tables that sessions are made of, stable paths, no prompts. */

import { mkdir, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promptsLeftIn, withoutBoilerplateIn } from "./left-out.ts";

/**
 * Other tables hold accounts, permissions, marks of the program, and the log from which opencode folds these tables.
 */
const SESSION_TABLES = ["project", "workspace", "session", "message", "part", "session_message"];

export interface DatabaseRecording {
  /** The path of the database, which the agent may have open. */
  readonly from: string;
  readonly to: string;
  readonly stable: (text: string) => string;
}

/** Returns the size of the copy in bytes. */
export async function recordDatabase({ from, to, stable }: DatabaseRecording): Promise<number> {
  await mkdir(dirname(to), { recursive: true });
  await rm(to, { force: true });
  const original = new DatabaseSync(from, { readOnly: true });
  original.prepare("vacuum into ?").run(to);
  original.close();
  const copy = new DatabaseSync(to, { enableForeignKeyConstraints: false });
  for (const name of tablesOf(copy)) {
    if (SESSION_TABLES.includes(name)) rewriteTable(copy, name, stable);
    else copy.exec(`drop table "${name}"`);
  }
  // Small pages make small fixtures. The mode is the one that opencode works in; closed, it leaves no second file.
  copy.exec("pragma page_size = 1024; vacuum; pragma journal_mode = wal");
  copy.close();
  return (await stat(to)).size;
}

function tablesOf(database: DatabaseSync): string[] {
  const tables = database.prepare(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
  );
  return tables.all().map(({ name }) => String(name));
}

function rewriteTable(database: DatabaseSync, table: string, stable: (text: string) => string): void {
  for (const row of database.prepare(`select rowid as place, * from "${table}"`).all()) {
    for (const [column, value] of Object.entries(row)) {
      if (typeof value !== "string") continue;
      const written = rewriteText(value, stable);
      const [prompt] = promptsLeftIn(parsedOrText(written));
      if (prompt !== undefined) throw new Error(`a long text is left in ${table}: ${prompt.slice(0, 300)}`);
      if (written === value) continue;
      database
        .prepare(`update "${table}" set "${column}" = ? where rowid = ?`)
        .run(written, row.place ?? null);
    }
  }
}

/** If nothing has to be left out of a text, only its paths change. */
function rewriteText(text: string, stable: (text: string) => string): string {
  const value = parsedOrText(text);
  const left = withoutBoilerplateIn(value);
  const same = JSON.stringify(left) === JSON.stringify(value);
  return stable(same ? text : typeof left === "string" ? left : JSON.stringify(left));
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
