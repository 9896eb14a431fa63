/** A store as an older version of the schema kept it: today's rows, in the tables and columns of that time. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { migrate } from "../../../packages/store/src/store/schema/index.ts";
import { createKysely } from "../../../packages/store/src/store/sqlite/index.ts";

type Row = Readonly<Record<string, string | number | null | Uint8Array>>;

/** The versions of the schema before today's. */
export type SchemaVersion = 1 | 2 | 3 | 4 | 5 | 6;

export interface Sample {
  /** The rows by table, in an order in which they can be inserted. */
  readonly tables: ReadonlyMap<string, readonly Row[]>;
  /** The answers of a store with these rows, grouped by the version of the schema that first had them. */
  readonly answers: Readonly<Record<SchemaVersion, unknown>>;
}

/** The tables of each version, with today's columns that they did not have yet. */
const TABLES: Readonly<Record<1 | 2, readonly string[]>> = {
  1: ["logs", "events", "deleted_logs", "producers", "blobs", "blob_references"],
  2: ["sessions", "runs", "leases", "claims", "snapshots"],
};

export async function sampleStore(): Promise<Sample> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-older-"));
  const path = join(folder, "store.db");
  try {
    const store = await openStore(`sqlite:${path}`);
    await fill(store);
    const answers = {
      1: await answersOf(store, 1),
      2: await answersOf(store, 2),
      3: await answersOf(store, 3),
      4: await answersOf(store, 4),
      5: await answersOf(store, 5),
      6: await answersOf(store, 6),
    };
    await store.close();
    return { tables: rowsOf(path), answers };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function fill(store: Store): Promise<void> {
  const { hash } = await store.putBlob(new Uint8Array([1, 2, 3]), { mediaType: "image/png" });
  await store.createLog({ logId: "l", ttl: 1_000_000, metadata: { a: 1 } });
  await store.append("l", [
    { id: "e1", type: "message_sent", data: { content: "hi \u0000 \ud800", mediaTimeMs: "no time" } },
    { id: "e2", type: "custom", data: { name: "n" }, blobs: [hash], salt: "random" },
  ]);
  await store.append("l", [{ type: "custom", data: { name: "x" }, retention: "supplementary" }], {
    also: [{ type: "producer", producerId: "p", epoch: 2, sequence: 0 }],
  });
  await store.prune("l", { reason: "old", sequences: [3] });
  await store.createLog({ logId: "source" });
  await store.append("source", [{ type: "custom", data: { name: "s" } }]);
  await store.forkLog("source", 1, { newLogId: "fork" });
  await store.deleteLog("source", { reason: "hidden" });
  await store.createLog({ logId: "gone" });
  await store.deleteLog("gone");
  await store.createSession({ sessionId: "s", title: "T", agent: "pi", metadata: { m: 1 } });
  await store.createRun({ sessionId: "s", runId: "r", input: ["x"] });
  await store.transitionRun("r", { to: "running", owner: "me" });
  await store.commitCursor({ logId: "l", name: "ada", sequence: 2 });
  await store.commitCursor({ logId: "s", name: "ada", sequence: 3 });
  await store.acquireLease("lease", { owner: "o", ttlMs: 1_000_000_000 });
  await store.append("s", [], { also: [{ type: "claim", name: "c", owner: "o", generation: 1, data: [1] }] });
  await store.putSnapshot({ logId: "s", name: "fold", data: { n: 3 } });
}

/** Asks the store every question that the older version could answer. */
export async function answersOf(store: Store, version: SchemaVersion): Promise<unknown> {
  const logs = ["l", "fork", ...(version === 1 ? [] : ["s"])];
  const common = {
    events: await Promise.all(logs.map(async (logId) => (await store.read(logId)).events)),
    logs: await Promise.all(logs.map((logId) => store.getLog(logId))),
    verified: await Promise.all(logs.map((logId) => store.verify(logId))),
    deleted: (await store.listDeletedLogs()).items,
    blobs: (await store.listBlobs()).items,
    producer: await store.getProducer("l", "p"),
    retried: await store.append("l", [{ id: "e1", type: "message_sent", data: (await first(store)).data }]),
    media: (await store.readMedia("l", { fromMs: 0, toMs: 9 })).events,
  };
  if (version === 1) return common;
  return {
    ...common,
    session: { ...(await store.getSession("s")), activityOrder: undefined },
    runs: (await store.listRuns()).items,
    cursors: (await store.listCursors()).items,
    lease: await store.getLease("lease"),
    claims: (await store.listClaims()).items,
    snapshot: await store.getLatestSnapshot({ logId: "s", name: "fold" }),
  };
}

async function first(store: Store): Promise<{ readonly data: unknown }> {
  const event = (await store.read("l")).events[0];
  if (event === undefined) throw new Error("The first event is missing.");
  return event;
}

function rowsOf(path: string): ReadonlyMap<string, readonly Row[]> {
  const database = new DatabaseSync(path);
  const all = (sql: string): readonly Row[] => database.prepare(sql).all() as unknown as readonly Row[];
  const tables = new Map(
    [...TABLES[1], ...TABLES[2]].map((table) => [table, all(`select * from ${table}`)] as const),
  );
  // Version 2 kept cursors by the key of their log.
  const cursors = all(`select l.log_key, c.name, c.sequence, c.updated_at from cursors c
    join logs l on l.workspace_id = c.workspace_id and l.log_id = c.log_id`);
  const cursorsById = all("select * from cursors");
  database.close();
  return new Map([...tables, ["cursors of version 2", cursors], ["cursors", cursorsById]]);
}

/** Makes a SQLite database as that version left it, with the sample in it. */
export async function writeOlderStore(path: string, sample: Sample, version: SchemaVersion): Promise<void> {
  const database = new DatabaseSync(path);
  await migrate(createKysely<never>(database), version);
  for (const { table, row } of insertsOf(sample, version)) {
    const names = Object.keys(row);
    const values = names.map(() => "?").join(", ");
    database
      .prepare(`insert into ${table} (${names.join(", ")}) values (${values})`)
      .run(...Object.values(row));
  }
  database.close();
}

/** Returns the inserts that put the sample into a database of that version. */
export function* insertsOf(
  { tables }: Sample,
  version: SchemaVersion,
): Generator<{ readonly table: string; readonly row: Row }, void, void> {
  const known = version === 1 ? TABLES[1] : [...TABLES[1], ...TABLES[2], "cursors"];
  for (const table of known) {
    const source = table === "cursors" && version === 2 ? "cursors of version 2" : table;
    for (const { media_time_ms, priority, place: _, not_before: __, ...others } of tables.get(source) ?? []) {
      const row: Record<string, Row[string]> = { ...others };
      if (version >= 3 && media_time_ms !== undefined) row.media_time_ms = media_time_ms;
      if (version >= 6 && priority !== undefined) row.priority = priority;
      // Version 1 had no sessions, so their logs are left out.
      if (version === 1 && table === "logs" && row.log_id === "s") continue;
      yield { table, row: "changed_mark" in row ? { ...row, changed_mark: 1 } : row };
    }
  }
}
