/**
 * The name of a thread in Codex's index, `state_N.sqlite` (0.169.0): its list takes the names of paginated threads
 * from there alone, and those of legacy ones from `session_index.jsonl`. Codex writes both when a person names one.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ContinuoError } from "../../model/index.ts";

const BUSY_TIMEOUT_MS = 10_000;
const SQLITE_BUSY = 5;

/** A thread that is not in the index yet gets its row, and its name, when Codex finds it. Errors: `busy`, `unwritable`. */
export async function nameThread(home: string, threadId: string, name: string): Promise<void> {
  const path = indexIn(home);
  if (path === null) return;
  const { DatabaseSync } = await import("node:sqlite");
  try {
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      const columns = database.prepare("select name from pragma_table_info('threads')").all();
      if (!columns.some((column) => column.name === "name")) return;
      database.prepare("update threads set name = ? where id = ?").run(name, threadId);
    } finally {
      database.close();
    }
  } catch (cause) {
    const { errcode } = cause as { readonly errcode?: number };
    if (errcode === undefined) throw cause;
    const code = (errcode & 0xff) === SQLITE_BUSY ? "busy" : "unwritable";
    throw new ContinuoError(code, `cannot write ${path}: ${(cause as Error).message}`, { cause });
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
