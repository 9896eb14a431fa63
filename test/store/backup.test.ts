import { existsSync } from "node:fs";
import { join } from "node:path";
import { backupStore, openStore, restoreStore, vacuumStore } from "@continuo/store";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { expectRestored, QUICK_PAIRS } from "./backup-pairs.ts";

const folder = scratchFolder("backup");

let made = 0;
const newFile = (): string => join(folder, `${made++}.db`);

test.each(QUICK_PAIRS)(
  "a backup of %s is restored into %s, which continues it",
  async (source, target) => await expectRestored(source, target, folder),
  120_000,
);

test("a backup is consistent while writers work", { timeout: 120_000 }, async () => {
  await using store = await openStore(`sqlite:${newFile()}`);
  await store.createLog({ logId: "a" });
  await store.createLog({ logId: "b" });
  let state: "writing" | "done" = "writing";
  const writing = (async () => {
    while (state === "writing") {
      // One transaction changes both logs: a consistent backup has both changes or neither.
      const { latestSequence } = (await store.getLog("a")) ?? { latestSequence: 0 };
      await store.append("a", [{ type: "custom", data: { name: "n" } }]);
      await store.append("b", [{ type: "custom", data: { name: "n" } }], {
        also: [{ type: "cursor", name: "c", logId: "a", sequence: latestSequence + 1 }],
      });
    }
  })();
  for (let n = 0; n < 5; n++) {
    const written = await store.latestSequence("b");
    while ((await store.latestSequence("b")) < written + 10)
      await new Promise((resolve) => setImmediate(resolve));
    const file = newFile();
    await backupStore(store, file);
    await using copy = await openStore(`sqlite:${file}`);
    const [a, b] = [await copy.latestSequence("a"), await copy.latestSequence("b")];
    expect(a - b === 0 || a - b === 1).toBe(true);
    expect((await copy.getCursor({ logId: "a", name: "c" }))?.sequence ?? 0).toBe(b);
    expect((await copy.verify("a")).ok && (await copy.verify("b")).ok).toBe(true);
  }
  state = "done";
  await writing;
});

test("a backup refuses an existing file, and a restore a file that is not a backup; neither leaves a file behind", async () => {
  await using store = await openStore("memory:");
  const file = newFile();
  await backupStore(store, file);
  await expect(backupStore(store, file)).rejects.toMatchObject({ code: "conflict" });
  expect(existsSync(`${file}.unfinished`)).toBe(false);
  await expect(restoreStore(store, import.meta.filename)).rejects.toMatchObject({ code: "unreadable" });
  expect((await store.info()).logs).toBe(0);
});

test("a backup into a folder that does not exist names the folder in its error, and leaves no file", async () => {
  await using store = await openStore("memory:");
  const file = join(folder, "missing", "backup.db");
  await expect(backupStore(store, file)).rejects.toMatchObject({
    code: "unwritable",
    message: expect.stringContaining("its folder does not exist"),
    hint: "Create the folder first.",
  });
  expect(existsSync(join(folder, "missing"))).toBe(false);
});

test("vacuum removes expired rows and frees their space", async () => {
  const path = newFile();
  await using store = await openStore(`sqlite:${path}`);
  const value = "x".repeat(10_000);
  await store.createLog({
    logId: "a",
    ttl: 0.01,
    events: Array.from({ length: 100 }, () => ({ type: "custom", data: { name: "n", value } })),
  });
  const before = (await store.info()).sizeBytes;
  while ((await store.getLog("a")) !== null) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await vacuumStore(store)).toEqual({ expiredLogs: 1, blobs: 0, blobBytes: 0, objects: 0 });
  expect((await store.listDeletedLogs()).items[0]?.reason).toBe("expired");
  expect((await store.info()).sizeBytes).toBeLessThan(before / 2);
});
