/** The index by which SQLite finds logs that expired: by another one it would look at every log in one turn. */

import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { Scope, Statement } from "../../packages/store/src/store/engine/index.ts";
import { expiredLogs } from "../../packages/store/src/store/rules/removal.ts";
import { migrate } from "../../packages/store/src/store/schema/index.ts";
import { createKysely, SQLITE } from "../../packages/store/src/store/sqlite/dialect.ts";

test("logs that expired are found by their time, however many logs there are", async () => {
  const database = new DatabaseSync(":memory:");
  await migrate(createKysely<never>(database));
  const work = expiredLogs({ dialect: SQLITE, workspaceId: "w" } as unknown as Scope, 100);
  const { sql, parameters } = work.next().value as Statement;
  const plan = database
    .prepare(`explain query plan ${sql}`)
    .all(...(parameters as (string | number)[]))
    .map(({ detail }) => detail);
  expect(plan[0]).toBe("SEARCH l USING INDEX logs_by_expiry (expires_at>? AND expires_at<?)");
});
