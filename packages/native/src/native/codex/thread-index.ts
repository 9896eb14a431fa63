/**
 * The row of Codex's index, `state_N.sqlite`, about a thread (0.169.0), where Codex itself does not take it from the file
 * again: the name of a paginated thread, and what a thread begins with. The list shows no thread that begins with
 * nothing. Threads that are not in the index yet get their row when Codex finds them.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isWriteFailure, writeFailure } from "@continuo/files";

const BUSY_TIMEOUT_MS = 10_000;

/** Codex writes `session_index.jsonl` too when a person names a thread. Errors: `busy`, `unwritable`. */
export async function nameThread(home: string, threadId: string, name: string): Promise<void> {
  await update(home, { sql: "update threads set name = ? where id = ?", uses: ["name"] }, [name, threadId]);
}

/**
 * For a thread that Codex read when its file had no prompt: it does not read it again until the next turn.
 * Errors: `busy`, `unwritable`.
 */
export async function listThread(home: string, threadId: string, prompt: string): Promise<void> {
  const sql = `update threads set title = ?, preview = ?, first_user_message = ? where id = ? and preview = ''`;
  const uses = ["title", "preview", "first_user_message"];
  await update(home, { sql, uses }, [prompt, prompt, prompt, threadId]);
}

interface Update {
  readonly sql: string;
  /** Columns; nothing is done in an index without them. */
  readonly uses: readonly string[];
}

async function update(home: string, { sql, uses }: Update, values: readonly string[]): Promise<void> {
  const path = indexIn(home);
  if (path === null) return;
  const { DatabaseSync } = await import("node:sqlite");
  try {
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      const rows = database.prepare("select name from pragma_table_info('threads')").all();
      const columns = new Set(rows.map(({ name }) => name));
      if (uses.every((name) => columns.has(name))) database.prepare(sql).run(...values);
    } finally {
      database.close();
    }
  } catch (cause) {
    throw isWriteFailure(cause) ? writeFailure(`cannot write ${path}`, cause) : cause;
  }
}

/** Versions number the file: the greatest number is the one in use. */
function indexIn(home: string): string | null {
  if (!existsSync(home)) return null;
  const numbers = readdirSync(home).flatMap((name) => {
    const [, number] = /^state_(\d+)\.sqlite$/u.exec(name) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
  return numbers.length === 0 ? null : join(home, `state_${Math.max(...numbers)}.sqlite`);
}
