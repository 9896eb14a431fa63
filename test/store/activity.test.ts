import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "@continuo/store";
import pg from "pg";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";

const folder = scratchFolder("activity");

interface Database {
  readonly url: string;
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

async function sqlite(): Promise<Database> {
  const path = join(folder, "store.db");
  return {
    url: `sqlite:${path}`,
    run: async (sql) => {
      const database = new DatabaseSync(path);
      database.exec(sql);
      database.close();
    },
    close: () => Promise.resolve(),
  };
}

async function postgres(): Promise<Database> {
  const url = await newPostgresDatabase();
  const pool = new pg.Pool({ connectionString: url });
  return {
    url,
    run: async (sql) => {
      await pool.query(sql);
    },
    close: () => pool.end(),
  };
}

const LATER = `update sessions set updated_at = updated_at - 180000;
  update logs set changed_at = changed_at - 180000, created_at = created_at - 180000`;
const minuteOf = (time: number): number => Math.floor(time / 60_000);

for (const [engine, open] of Object.entries({ sqlite, postgres })) {
  test(`${engine}: an append updates updatedAt, at most once a minute, and moves the session to the head of the list`, async () => {
    const database = await open();
    try {
      await using store = await openStore(database.url, { migrate: true });
      for (const sessionId of ["a", "b"]) await store.createSession({ sessionId });
      await store.createLog({ logId: "no session" });
      await database.run(LATER);
      const before = await store.getSession("a");
      const begun = minuteOf(Date.now());
      const updates = new Set<string | undefined>();
      for (let n = 0; n < 20; n++) {
        await store.append("a", [{ type: "custom", data: { name: "n" } }]);
        if (n % 5 === 0)
          await store.append("a", [{ type: "custom", data: { name: "n" } }], {
            also: [{ type: "cursor", name: "c", sequence: 1 }],
          });
        updates.add((await store.getSession("a"))?.updatedAt);
      }
      await store.append("no session", [{ type: "custom", data: { name: "n" } }]);
      expect([...updates][0] ?? "").toSatisfy((first: string) => first > (before?.updatedAt ?? ""));
      expect(updates.size).toBeLessThanOrEqual(1 + minuteOf(Date.now()) - begun);
      const listed = (await store.listSessions()).items.map(({ sessionId }) => sessionId);
      expect(listed).toEqual(["a", "b"]);
      // The other session got no append.
      const other = await store.getSession("b");
      expect(Date.parse(other?.updatedAt ?? "")).toBeLessThan(Date.now() - 120_000);
    } finally {
      await database.close();
    }
  });
}
