/**
 * Lists of logs. "Changed since" uses a mark, not a time: a mark determines exactly which changes were visible when it
 * was given, however long other transactions took to commit.
 */

import type { LogPage } from "@continuo/core/model";
import { query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { LOG_COLUMN_NAMES, type LogRow, toLog } from "./log-rows.ts";
import { nameRange, type PageRequest, pageOf } from "./pages.ts";
import { assertText, assertTime, invalid } from "./refusals.ts";

export interface ListLogs extends PageRequest {
  readonly prefix?: string;
  readonly changedAfter?: string;
}

/**
 * On engines that count marks, returns true if changes of the workspace were made under the current mark. A change
 * writes its mark only if the mark differs, so most appends to a log do not change the index of marks.
 */
export function* mustEndMark(scope: Scope): Work<boolean> {
  if (scope.dialect.endMark === undefined) return false;
  const found = yield* sql(
    scope,
    `select 1 as found from logs where workspace_id = ? and changed_mark >= ${scope.dialect.currentMark} limit 1`,
    scope.workspaceId,
  );
  return found.length > 0;
}

export function* endMark(tx: Transaction): Work<void> {
  if (tx.dialect.endMark !== undefined) yield* sql(tx, tx.dialect.endMark);
}

const MARK = /^m([0-9]{1,18})$/;

export function* listLogs(scope: Scope, options: ListLogs): Work<LogPage> {
  const { dialect } = scope;
  // The mark is read before the list: a change that commits in between is listed again next time, not left out.
  const [visible] = (yield { sql: dialect.visibleMark, parameters: [] }) as readonly Visible[];
  const now = visible?.now ?? 0;
  let rows = scope.db
    .selectFrom("logs")
    .select(LOG_COLUMN_NAMES)
    .where("workspace_id", "=", scope.workspaceId)
    .where("deleted_at", "is", null)
    .where((e) => e.or([e("expires_at", "is", null), e("expires_at", ">", now)]));
  if (options.prefix !== undefined) assertText("prefix", options.prefix);
  const { changedAfter } = options;
  if (changedAfter !== undefined) {
    const mark = MARK.exec(changedAfter)?.[1];
    if (mark === undefined) assertTime("changedAfter", changedAfter);
    rows =
      mark === undefined
        ? rows.where("changed_at", ">", Date.parse(changedAfter))
        : rows.where("changed_mark", ">=", Number(mark));
  }
  const byChange = changedAfter !== undefined;
  const page = yield* pageOf(options, {
    fetch: (after, limit) => {
      const { from, before } = nameRange(options.prefix, byChange ? undefined : after);
      const inRange = before === null ? rows : rows.where("log_id", "<", before);
      if (!byChange)
        return query<ListedRow>(
          inRange
            .where("log_id", ...from)
            .orderBy("log_id")
            .limit(limit),
        );
      const named = before === null ? rows : inRange.where("log_id", ...from);
      const page = after === undefined ? named : named.where((e) => afterChange(e, after));
      return query<ListedRow>(page.orderBy("changed_mark").orderBy("log_key").limit(limit));
    },
    keyOf: (row) => (byChange ? [row.changed_mark, row.log_key] : [row.log_id]),
    toItem: (row) => toLog({ ...row, now, mark: -1 }),
    ...(byChange ? {} : { rowsAtOnce: dialect.stretch.rows }),
  });
  if (visible === undefined) throw invalid("the database returned no mark");
  return { ...page, mark: `m${visible.mark}` };
}

interface Visible {
  readonly mark: number;
  readonly now: number;
}

type ListedRow = Omit<LogRow, "now" | "mark">;
type Builder = import("kysely").ExpressionBuilder<import("../schema/index.ts").Schema, "logs">;

function afterChange(e: Builder, after: readonly (string | number)[]) {
  return e.or([
    e("changed_mark", ">", Number(after[0])),
    e.and([e("changed_mark", "=", Number(after[0])), e("log_key", ">", Number(after[1]))]),
  ]);
}
