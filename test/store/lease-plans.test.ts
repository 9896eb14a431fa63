import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import type { Scope, Statement } from "../../packages/store/src/store/engine/index.ts";
import { type ListLeases, listLeases } from "../../packages/store/src/store/rules/leases.ts";
import { migrate } from "../../packages/store/src/store/schema/index.ts";
import { createKysely, SQLITE } from "../../packages/store/src/store/sqlite/dialect.ts";

let database: DatabaseSync;
beforeAll(async () => {
  database = new DatabaseSync(":memory:");
  await migrate(createKysely<never>(database));
  database.function("continuo_lease_now", () => 5);
});

/** Returns SQLite's plan for the rows of a list. */
function planOf(options: ListLeases): string {
  const work = listLeases({ dialect: SQLITE, workspaceId: "w" } as unknown as Scope, options);
  work.next();
  const { sql, parameters } = work.next([{ now: 5 }]).value as Statement;
  return database
    .prepare(`explain query plan ${sql}`)
    .all(...(parameters as (string | number)[]))
    .map(({ detail }) => String(detail))
    .join("; ");
}

test("expired leases are found by an index, however many leases were ever granted", () => {
  expect(planOf({ prefix: "channel/", state: "expired" })).toBe(
    "SEARCH leases USING INDEX leases_by_expiry (workspace_id=? AND expires_at>? AND expires_at<?)",
  );
});

test.each([{ state: "held" }, {}] as const)(
  "leases that were not released are found without reading the released ones: %j",
  (filter) => {
    expect(planOf({ prefix: "channel/team/", ...filter })).toBe(
      "SEARCH leases USING INDEX leases_by_holder (workspace_id=? AND name>? AND name<?)",
    );
  },
);
