/**
 * Makes every kind of change that a store acknowledges, for the power-cut test: `power-user.ts FOLDER [full|off]` makes
 * a database in new folders and prints a line for each acknowledgement.
 */

import { writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { backupStore, type OpenedStore, openStore } from "@continuo/store";
import { createStore } from "../../../packages/store/src/store/sql-store.ts";
import { openSqlite } from "../../../packages/store/src/store/sqlite/index.ts";

const [folder = "", synchronous = "full"] = process.argv.slice(2);
const path = join(folder, "new", "deeper", "store.db");
const acknowledge = (line: string): void => void writeSync(1, `${line}\n`);

async function open(): Promise<OpenedStore> {
  if (synchronous === "full") return openStore(`sqlite:${path}`);
  const options = { workspaceId: "default", migrate: "refused", synchronous: "off" } as const;
  return createStore(await openSqlite(path, options));
}

let batch = 0;

/** Four callers append at the same time, so that they share commits. */
async function append(store: OpenedStore, count: number): Promise<void> {
  const end = batch + count;
  const write = async (): Promise<void> => {
    while (batch < end) {
      const n = batch++;
      const size = 1 + (n % 4);
      const events = Array.from({ length: size }, (_, index) => ({
        id: `w/${n}/${index}`,
        type: "custom",
        data: { name: "power", value: "x".repeat((n * 97) % 1_500) },
      }));
      await store.append("log", events);
      acknowledge(`ack ${n} ${size}`);
    }
  };
  await Promise.all([write(), write(), write(), write()]);
}

async function putBlob(store: OpenedStore, fill: number): Promise<void> {
  const { hash } = await store.putBlob(new Uint8Array(270_000).fill(fill));
  acknowledge(`blob ${hash}`);
}

async function backup(store: OpenedStore, name: string): Promise<void> {
  const file = join(folder, name);
  await backupStore(store, file);
  acknowledge(`backup ${name}`);
}

{
  await using store = await open();
  await store.createLog({ logId: "log" });
  await append(store, 12);
  await putBlob(store, 1);
  await append(store, 6);
}
{
  await using store = await open();
  await append(store, 12);
  await backup(store, "first.db");
  // The write-ahead log starts again from its beginning, over records that were already copied into the database.
  const other = new DatabaseSync(path);
  other.exec("pragma wal_checkpoint(restart)");
  other.close();
  await append(store, 12);
  await putBlob(store, 2);
  await append(store, 6);
}
{
  await using store = await open();
  await putBlob(store, 3);
  await append(store, 6);
  await backup(store, "second.db");
}
