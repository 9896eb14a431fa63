import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  backupStore,
  checkDatabase,
  openStore,
  restoreStore,
  vacuumStore,
  verifyStore,
} from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OpenedStore } from "../../packages/store/src/store/sql-store.ts";
import { scratchFolder } from "../scratch-folder.ts";

const folder = scratchFolder("threads");
const BACKUP = join(folder, "backup.db");
let store: OpenedStore;
beforeAll(async () => {
  store = await openStore(`sqlite:${join(folder, "store.db")}`);
  await store.createLog({ logId: "log" });
  await store.append(
    "log",
    Array.from({ length: 500 }, (_, n) => ({ type: "x", data: n })),
  );
});
afterAll(async () => {
  await store.close();
});

/** Statements whose time grows with the store. */
const LONG =
  /^\s*(?:vacuum|pragma (?:integrity_check|wal_checkpoint)|insert into (?:main\.)?events(?![\s\S]*\bvalues\b))|count\(\*\)[^)]* from (?:events|blobs)/iu;

/** The long statements that this thread ran. */
async function longStatements(run: () => Promise<unknown>): Promise<readonly string[]> {
  const { prepare, exec } = DatabaseSync.prototype;
  const found: string[] = [];
  const note = (text: string): void => void (LONG.test(text) && found.push(text));
  DatabaseSync.prototype.prepare = function (text, ...rest) {
    note(text);
    return prepare.call(this, text, ...rest);
  };
  DatabaseSync.prototype.exec = function (text) {
    note(text);
    exec.call(this, text);
  };
  try {
    await run();
    return found;
  } finally {
    Object.assign(DatabaseSync.prototype, { prepare, exec });
  }
}

test("a backup is copied and counted in a thread", async () => {
  expect(
    await longStatements(async () => {
      expect(await backupStore(store, BACKUP)).toMatchObject({ events: 500, blobs: 0 });
    }),
  ).toEqual([]);
});

test("a restore into a file is copied in a thread, and is complete", async () => {
  await using restored = await openStore(`sqlite:${join(folder, "restored.db")}`);
  expect(
    await longStatements(async () => {
      expect(await restoreStore(restored, BACKUP)).toEqual({ logs: 1, events: 500, blobs: 0 });
    }),
  ).toEqual([]);
  for await (const verified of verifyStore(restored))
    expect(verified).toMatchObject({ checkedCount: 500, ok: true });
  expect((await restored.append("log", [{ type: "x", data: "next" }]))[0]?.sequence).toBe(501);
  await expect(restoreStore(restored, BACKUP)).rejects.toMatchObject({ code: "conflict" });
});

test("a restore into a file that another process writes at the same time changes nothing", async () => {
  await using restored = await openStore(`sqlite:${join(folder, "raced.db")}`);
  const { engine } = restored;
  // The store was empty when it was checked, but is no longer empty when the copy begins.
  const late = { ...engine, write: () => restored.createLog({ logId: "mine" }) } as unknown as typeof engine;
  const raced = Object.assign(Object.create(restored) as OpenedStore, { engine: late });
  await expect(restoreStore(raced, BACKUP)).rejects.toMatchObject({
    code: "conflict",
    message: "the store is not empty: it has logs",
  });
  expect((await restored.listLogs()).items.map(({ logId }) => logId)).toEqual(["mine"]);
});

test("a check reads the pages of the database in a thread", async () => {
  expect(
    await longStatements(async () => {
      expect(await checkDatabase(store)).toEqual([]);
    }),
  ).toEqual([]);
});

test("a vacuum runs in a thread, and a write during it is stored after it", async () => {
  let stored: number | undefined;
  expect(
    await longStatements(async () => {
      const vacuumed = vacuumStore(store);
      stored = (await store.append("log", [{ type: "x", data: "meanwhile" }]))[0]?.sequence;
      await vacuumed;
    }),
  ).toEqual([]);
  expect(stored).toBe(501);
});
