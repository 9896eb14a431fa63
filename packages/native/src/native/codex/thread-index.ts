/**
 * Changes the row of a thread in Codex's index, `state_N.sqlite` (0.169.0): only the values that Codex does not read
 * from the file again, which are the name of a paginated thread, and its first prompt. Codex lists no thread without a
 * first prompt. Threads that are not in the index yet get their row when Codex finds them.
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
 * Sets the first prompt of a thread whose file had none when Codex read it: Codex reads the file again only in the next
 * turn.
 * Errors: `busy`, `unwritable`.
 */
export async function listThread(home: string, threadId: string, prompt: string): Promise<void> {
  const sql = `update threads set title = ?, preview = ?, first_user_message = ? where id = ? and preview = ''`;
  const uses = ["title", "preview", "first_user_message"];
  await update(home, { sql, uses }, [prompt, prompt, prompt, threadId]);
}

interface Update {
  readonly sql: string;
  /** The columns that the change uses. An index without them is not changed. */
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

/** The name of the file has a version number. The file with the greatest number is in use. */
function indexIn(home: string): string | null {
  if (!existsSync(home)) return null;
  const numbers = readdirSync(home).flatMap((name) => {
    const [, number] = /^state_(\d+)\.sqlite$/u.exec(name) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
  return numbers.length === 0 ? null : join(home, `state_${Math.max(...numbers)}.sqlite`);
}
