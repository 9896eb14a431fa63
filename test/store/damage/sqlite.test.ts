import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { isContinuoError } from "@continuo/core/model";
import { backupStore, openStore } from "@continuo/store";
import { beforeAll, describe, expect, test } from "vitest";
import { sql, type Transaction, type Work } from "../../../packages/store/src/store/engine/index.ts";
import { scratchFolder } from "../../scratch-folder.ts";

const folder = scratchFolder("damage");
const whole = join(folder, "whole.db");

const MARK = "the payload of event";

beforeAll(async () => {
  const store = await openStore(`sqlite:${whole}`);
  const events = Array.from({ length: 200 }, (_, n) => ({
    type: "custom",
    data: { name: "d", value: `${MARK} ${n + 1} ends` },
  }));
  await store.createLog({ logId: "log", events });
  await store.close();
});

let copies = 0;

function copyOf(): string {
  const path = join(folder, `copy-${copies++}.db`);
  copyFileSync(whole, path);
  return path;
}

async function codeOf(path: string): Promise<string> {
  try {
    const store = await openStore(`sqlite:${path}`);
    try {
      const { ok } = await store.verify("log");
      return ok ? "ok" : "bad";
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    expect(error.hint).toBeTruthy();
    return error.code;
  }
}

describe("a byte flipped in a payload", () => {
  for (const sequence of [1, 77, 200]) {
    test(`of event ${sequence} is found and named by verify`, async () => {
      const path = copyOf();
      const bytes = readFileSync(path);
      // After a split, a page may still hold an old copy of the row, so all copies are changed.
      const text = `${MARK} ${sequence} ends`;
      for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at)) {
        bytes[at + 4] = (bytes[at + 4] ?? 0) ^ 1;
      }
      writeFileSync(path, bytes);
      await using store = await openStore(`sqlite:${path}`);
      expect(await store.verify("log")).toEqual({
        ok: false,
        checkedCount: sequence - 1,
        prunedCount: 0,
        firstBadSequence: sequence,
        reason: "The payload is not what was stored: its hash differs.",
      });
    });
  }

  test("that is no longer JSON is named by verify, and by read with its sequence", async () => {
    const path = copyOf();
    const bytes = readFileSync(path);
    const text = `${MARK} 50 ends`;
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes[at - 1] = 1;
    writeFileSync(path, bytes);
    await using store = await openStore(`sqlite:${path}`);
    expect(await store.verify("log")).toMatchObject({ ok: false, firstBadSequence: 50 });
    await expect(store.read("log")).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining("event 50 of log"),
      details: { sequence: 50 },
    });
    expect((await store.read("log", { before: 50 })).events.length).toBe(49);
  });
});

describe("rows that were changed without the store", () => {
  const CHANGES: Readonly<Record<string, { readonly sql: string; readonly bad: number }>> = {
    "a removed event": { sql: "delete from events where sequence = 20", bad: 20 },
    "the newest event removed": { sql: "delete from events where sequence = 200", bad: 200 },
    "another actor": { sql: `update events set actor = '{"kind":"person"}' where sequence = 30`, bad: 30 },
    "another time": {
      sql: "update events set occurred_at = '2020-01-01T00:00:00Z' where sequence = 31",
      bad: 31,
    },
    "another type": { sql: "update events set type = 'x' where sequence = 32", bad: 32 },
    "a changed payload with a changed hash": {
      sql: "update events set payload = '1', payload_hash = 'x' where sequence = 33",
      bad: 33,
    },
    "a chain hash": { sql: "update events set chain_hash = payload_hash where sequence = 34", bad: 34 },
    "a missing payload without a tombstone": {
      sql: "update events set payload = null where sequence = 35",
      bad: 35,
    },
    "a tombstone on an event with a payload": {
      sql: `update events set extras = '{"pruned":{"at":"2026-01-01T00:00:00.000Z","reason":"x"}}' where sequence = 36`,
      bad: 36,
    },
    "two events exchanged": {
      sql: "update events set sequence = case sequence when 40 then -1 else 40 end where sequence in (40, 41); update events set sequence = 41 where sequence = -1",
      bad: 40,
    },
    "the head moved": { sql: "update logs set head_hash = 'x'", bad: 200 },
  };
  for (const [what, { sql, bad }] of Object.entries(CHANGES)) {
    test(`${what}: verify names event ${bad}`, async () => {
      const path = copyOf();
      const database = new DatabaseSync(path);
      for (const statement of sql.split(";")) database.exec(statement);
      database.close();
      await using store = await openStore(`sqlite:${path}`);
      expect(await store.verify("log")).toMatchObject({ ok: false, firstBadSequence: bad });
    });
  }
});

describe("a damaged file", () => {
  for (const share of [0.001, 0.2, 0.5, 0.9, 0.999]) {
    test(`cut off at ${share} of its length gives a clear error`, async () => {
      const path = copyOf();
      truncateSync(path, Math.floor(readFileSync(path).length * share));
      expect(await codeOf(path)).toBe("corrupt");
    });
  }

  test("that is not a database gives a clear error", async () => {
    const path = join(folder, "other.db");
    writeFileSync(path, "This is a letter, not a database.".repeat(100));
    expect(await codeOf(path)).toBe("corrupt");
  });

  test("with any page overwritten never opens as if it were whole, without an error", {
    timeout: 120_000,
  }, async () => {
    const size = readFileSync(whole).length / 4096;
    for (let page = 1; page < size; page += 3) {
      const path = copyOf();
      const bytes = readFileSync(path);
      bytes.fill(0xa5, page * 4096, page * 4096 + 4096);
      writeFileSync(path, bytes);
      // Damage in pages of other tables and indexes may stay unseen, because this test does not read them.
      expect(["corrupt", "bad", "ok"]).toContain(await codeOf(path));
      rmSync(path);
    }
  });

  test("in a folder that is really a file gives a clear error", async () => {
    expect(await codeOf(join(whole, "below.db"))).toBe("unavailable");
  });
});

describe("a file that disappeared while it was open", () => {
  const event = { type: "custom", data: { name: "d", value: "later" } };
  const files = (path: string): string[] => [path, `${path}-wal`, `${path}-shm`];
  const refused = { code: "unavailable", hint: expect.stringContaining("Open the store again") };

  test.each([
    ["deleted", (path: string) => files(path).forEach((file) => void rmSync(file, { force: true }))],
    ["replaced", (path: string) => renameSync(copyOf(), path)],
  ])("%s: no more appends are accepted, and stored events can be read", async (_how, remove) => {
    const path = copyOf();
    {
      await using store = await openStore(`sqlite:${path}`);
      await store.append("log", [event]);
      remove(path);
      await expect(store.append("log", [event])).rejects.toMatchObject(refused);
      expect((await store.read("log", { after: 200 })).events).toHaveLength(1);
    }
    await using again = await openStore(`sqlite:${path}`);
    expect(await again.createLog({ logId: "new" })).toBeTruthy();
  });

  test.each([
    ["the write-ahead log", ["-wal"]],
    ["the index of the write-ahead log", ["-shm"]],
    ["both", ["-wal", "-shm"]],
  ])("deleting %s loses no acknowledged event, and no more appends are accepted", async (_what, endings) => {
    const path = copyOf();
    const store = await openStore(`sqlite:${path}`);
    await store.append("log", [event]);
    for (const ending of endings) rmSync(path + ending);
    await expect(store.append("log", [event])).rejects.toMatchObject({
      ...refused,
      details: { path, file: path + endings[0] },
    });
    // The copy is like a disk after a power cut: it has only what the open store had already written.
    const copy = copyOf();
    copyFileSync(path, copy);
    {
      await using second = await openStore(`sqlite:${copy}`);
      expect((await second.read("log", { after: 200 })).events).toHaveLength(1);
    }
    await store.close();
    await using again = await openStore(`sqlite:${path}`);
    expect((await again.read("log", { after: 200 })).events).toHaveLength(1);
    await again.append("log", [event]);
    expect(await again.verify("log")).toMatchObject({ ok: true });
  });

  test("a file that disappears later, without any other change in its folder, is noticed too", async () => {
    const apart = scratchFolder("settled");
    const path = join(apart, "store.db");
    copyFileSync(whole, path);
    await using store = await openStore(`sqlite:${path}`);
    for (let n = 0; n < 4; n++) {
      await sleep(60);
      await store.append("log", [event]);
    }
    rmSync(`${path}-wal`);
    await expect(store.append("log", [event])).rejects.toMatchObject(refused);
    const copy = `${path}.copy`;
    copyFileSync(path, copy);
    await using second = await openStore(`sqlite:${copy}`);
    expect((await second.read("log", { after: 200 })).events).toHaveLength(4);
  });

  test("an event is not acknowledged if the write-ahead log disappears during its commit", async () => {
    const path = copyOf();
    const store = await openStore(`sqlite:${path}`);
    await store.append("log", [event]);
    const writing = store.engine.write(function* (tx) {
      yield* appendOne(tx);
      rmSync(`${path}-wal`);
    });
    await expect(writing).rejects.toMatchObject(refused);
    await store.close();
  });

  function* appendOne(tx: Transaction): Work<void> {
    const [last] = yield* sql<{ readonly n: number }>(tx, "select max(value) as n from counters");
    yield* sql(tx, "update counters set value = ?", (last?.n ?? 0) + 1);
  }
});

describe("a database behind a symbolic link", () => {
  const BLOB = new Uint8Array(300_000).fill(3);
  const sizeOf = async (path: string, hash: string): Promise<number> => {
    await using store = await openStore(`sqlite:${path}`);
    let size = 0;
    for await (const chunk of (await store.openBlob(hash)).bytes) size += chunk.length;
    return size;
  };
  const linked = (): { readonly path: string; readonly link: string } => {
    const path = copyOf();
    const link = `${path}.link.db`;
    symlinkSync(basename(path), link);
    return { path, link };
  };

  test.each(["path", "link"] as const)("has the large blobs that were stored through its %s", async (way) => {
    const files = linked();
    await using store = await openStore(`sqlite:${files[way]}`);
    const { hash } = await store.putBlob(BLOB);
    expect(await sizeOf(files.path, hash)).toBe(BLOB.length);
    expect(await sizeOf(files.link, hash)).toBe(BLOB.length);
  });

  test("has the large blobs that an older version stored next to the link", async () => {
    const { path, link } = linked();
    const hash = await (async () => {
      await using store = await openStore(`sqlite:${link}`);
      return (await store.putBlob(BLOB)).hash;
    })();
    renameSync(`${path}-blobs`, `${link}-blobs`);
    expect(await sizeOf(link, hash)).toBe(BLOB.length);
  });
});

test("only the owner can read the database, its backups and its blobs, whatever the umask is", async () => {
  const path = join(folder, "private", "store.db");
  const backup = join(folder, "private", "backup.db");
  const before = process.umask(0);
  try {
    await using store = await openStore(`sqlite:${path}`);
    await store.putBlob(new Uint8Array(300_000));
    await backupStore(store, backup);
  } finally {
    process.umask(before);
  }
  const found = readdirSync(join(folder, "private"), { recursive: true, withFileTypes: true });
  const modes = found.map((entry) => {
    const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
    return [entry.isDirectory() ? "folder" : "file", mode.toString(8)].join(" ");
  });
  expect(new Set(modes)).toEqual(new Set(["file 600", "folder 700"]));
  expect(modes.length).toBeGreaterThanOrEqual(5);
});
