/** The audit log is bounded, survives a restore, and cannot be changed. */

import { join } from "node:path";
import { backupStore, followAudit, LIMITS, type OpenedStore, openStore, restoreStore } from "@continuo/store";
import { describe, expect, test } from "vitest";
import { sql } from "../../packages/store/src/store/engine/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";

const DAY_MS = 86_400_000;
const folder = scratchFolder("audit");

interface Rows {
  readonly who: string;
  readonly count: number;
  readonly at?: number;
}

/** Inserts entries as if earlier actions had written them. */
function insert(store: OpenedStore, { who, count, at = Date.now() }: Rows): Promise<void> {
  return store.engine.write(function* (tx) {
    const numbers = tx.dialect.engine === "postgres" ? "generate_series(1, ?::int)" : "json_each(?)";
    const given = tx.dialect.engine === "postgres" ? count : JSON.stringify(Array(count).fill(0));
    yield* sql(
      tx,
      `insert into audit (workspace_id, recorded_at, who, what) select ?, ${at}, ?, 'agent_started' from ${numbers} as n`,
      tx.workspaceId,
      who,
      given,
    );
  });
}

/** Makes the next action check all entries, as it does after a million removed entries. */
const SKIP_KEYS = {
  sqlite: "update sqlite_sequence set seq = 1048575 where name = 'audit'",
  postgres: "select setval(pg_get_serial_sequence('audit', 'audit_key'), 1048575)",
} as const;

async function counts(store: OpenedStore): Promise<Readonly<Record<string, number>>> {
  const rows = await store.engine.read((scope) =>
    sql<{ readonly who: string; readonly n: number }>(
      scope,
      "select who, count(*) as n from audit group by who",
    ),
  );
  return Object.fromEntries(rows.map(({ who, n }) => [who, Number(n)]));
}

const ENGINES: Readonly<Record<string, () => Promise<string>>> = {
  sqlite: async () => `sqlite:${join(folder, "store.db")}`,
  postgres: newPostgresDatabase,
};

describe.each(Object.entries(ENGINES))("on %s", (name, urlOf) => {
  test("entries are removed after a year, and a caller with too many entries loses only its own", async () => {
    await using store = await openStore(await urlOf(), { migrate: true });
    await insert(store, { who: "old", count: 3, at: Date.now() - LIMITS.auditMs - DAY_MS });
    await insert(store, { who: "kept", count: 3, at: Date.now() - LIMITS.auditMs + DAY_MS });
    await insert(store, { who: "loud", count: LIMITS.auditOfOne + 1_000 });
    const loud = store.forWorkspace("default", { who: "loud", from: null });
    for (let n = 0; n < 16; n++) await loud.recordAudit({ what: "agent_started" });
    const after = await counts(store);
    expect(after).toEqual({ kept: 3, loud: expect.any(Number) });
    expect(after.loud).toBeGreaterThanOrEqual(LIMITS.auditOfOne);
    expect(after.loud).toBeLessThan(LIMITS.auditOfOne + 16);
    for (let n = 0; n < 25; n++) await insert(store, { who: `many-${n}`, count: 4_000 });
    await store.engine.write((tx) => sql(tx, SKIP_KEYS[tx.dialect.engine]));
    await loud.recordAudit({ what: "agent_started" });
    const all = Object.values(await counts(store)).reduce((sum, n) => sum + n, 0);
    expect(all).toBeLessThanOrEqual(LIMITS.auditEntries);
  });

  test("an act that is repeated more often than the log has entries does not displace the acts of others", async () => {
    await using store = await openStore(name === "sqlite" ? "memory:" : await newPostgresDatabase(), {
      migrate: true,
    });
    await insert(store, { who: "kept", count: 3 });
    await store.engine.write((tx) => sql(tx, SKIP_KEYS[tx.dialect.engine]));
    const loud = store.forWorkspace("default", { who: "loud", from: null });
    await loud.recordAudit({ what: "agent_started" });
    expect(await counts(store)).toMatchObject({ kept: 3 });
  });

  test("the database refuses to change an entry", async () => {
    await using store = await openStore(await urlOf(), { migrate: true });
    await store.recordAudit({ what: "agent_started" });
    const change = store.engine.write((tx) => sql(tx, "update audit set who = 'nobody'"));
    await expect(change).rejects.toThrow();
    expect(await counts(store)).not.toHaveProperty("nobody");
  });

  test("a backup keeps the entries, and a restore adds an entry for the caller that restored", async () => {
    const by = { who: "user:ada", from: "command" };
    const file = join(folder, `${name}.backup`);
    await using store = await openStore(name === "sqlite" ? "memory:" : await newPostgresDatabase(), {
      by,
      migrate: true,
    });
    const { tokenId } = await store.createToken({ scopes: ["admin"] });
    await backupStore(store, file);
    expect((await store.listAudit()).items[0]).toMatchObject({
      ...by,
      what: "store_backed_up",
      target: file,
    });
    await using other = await openStore(
      name === "sqlite" ? `sqlite:${join(folder, "restored.db")}` : await newPostgresDatabase(),
      { by, migrate: true },
    );
    await restoreStore(other, file);
    const { items } = await other.listAudit();
    expect(items.map(({ what, target }) => [what, target])).toEqual([
      ["store_restored", file],
      ["token_created", tokenId],
    ]);
    await other.recordAudit({ what: "agent_started" });
  });

  test("followers get each new entry of every workspace once, and no older entries", async () => {
    await using store = await openStore(await urlOf(), { migrate: true });
    await store.recordAudit({ what: "agent_started", target: "before" });
    const next = followAudit(store);
    const targets = async (): Promise<readonly unknown[]> => (await next()).map(({ target }) => target);
    expect(await targets()).toEqual([]);
    await store.recordAudit({ what: "agent_started", target: "1" });
    await store.forWorkspace("other").recordAudit({ what: "agent_started", target: "2" });
    expect(await targets()).toEqual(["1", "2"]);
    expect(await targets()).toEqual([]);
  });
});
