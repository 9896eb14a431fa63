/**
 * The rows about threads in the databases that Codex keeps next to the files (seen in 0.171.0): what its list shows, the
 * words of paginated threads a second time, the short ids that a model is shown, goals, and queued messages. Codex
 * removes the same rows when it deletes a thread itself.
 */

import { join } from "node:path";
import { namesIn } from "@continuo/files";
import type { DatabaseRows, TableRows } from "../kit/index.ts";

type Column = readonly [table: string, column: string];

/** The databases by their names without the number, tables in the order in which tables refer to each other. */
const COLUMNS: ReadonlyMap<string, readonly Column[]> = new Map([
  [
    "state",
    [
      ["session_model_ids", "session_id"],
      ["thread_read_receipts", "thread_id"],
      ["thread_dynamic_tools", "thread_id"],
      ["thread_attachments", "thread_id"],
      ["guardian_review_feedback", "thread_id"],
      ["thread_spawn_edges", "child_thread_id"],
      ["thread_spawn_edges", "parent_thread_id"],
      ["threads", "id"],
    ],
  ],
  [
    "thread_history",
    [
      ["thread_items", "thread_id"],
      ["thread_realtime_items", "thread_id"],
      ["thread_turns", "thread_id"],
      ["thread_history_projection_state", "thread_id"],
    ],
  ],
  [
    "goals",
    [
      ["thread_goal_continuation_deferrals", "thread_id"],
      ["thread_goals", "thread_id"],
    ],
  ],
  ["queue", [["queued_items", "thread_id"]]],
]);

/** Versions of Codex number their databases, and a version may still read an older database, so all are used. */
export function indexRowsIn(home: string, threadIds: ReadonlySet<string>): readonly DatabaseRows[] {
  const values = [...threadIds];
  return namesIn(home).flatMap((file) => {
    const [, kind = ""] = /^([a-z_]+)_\d+\.sqlite$/u.exec(file) ?? [];
    const columns = COLUMNS.get(kind) ?? [];
    const tables = columns.map(([name, column]): TableRows => ({ name, column, values }));
    return tables.length === 0 ? [] : [{ database: join(home, file), tables }];
  });
}
