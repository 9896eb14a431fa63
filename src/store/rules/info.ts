/** What is in a store, by number. */

import { type Scope, sql, type Work } from "../engine/index.ts";

export interface Counts {
  readonly logs: number;
  readonly events: number;
  readonly sessions: number;
  readonly runs: number;
  readonly blobs: number;
}

export function* countAll(scope: Scope): Work<Counts> {
  const one = (table: string): string => `(select count(*) from ${table} where workspace_id = ?) as ${table}`;
  const [row] = yield* sql<Counts>(
    scope,
    `select ${["sessions", "runs", "blobs"].map(one).join(", ")},
       (select count(*) from logs where workspace_id = ? and deleted_at is null) as logs,
       (select count(*) from events e join logs l on l.log_key = e.log_key where l.workspace_id = ?) as events`,
    ...Array.from({ length: 5 }, () => scope.workspaceId),
  );
  return row ?? { logs: 0, events: 0, sessions: 0, runs: 0, blobs: 0 };
}
