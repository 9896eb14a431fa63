import { join } from "node:path";
import { type ContinuoError, isContinuoError, type Store } from "@continuo/core/model";
import { backupStore, openStore, vacuumStore } from "@continuo/store";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../../scratch-folder.ts";
import { type PostgresServer, startPostgres } from "../harness/postgres-server.ts";

const folder = scratchFolder("damage-postgres");
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  await (await openStore(server.url, { migrate: true })).close();
}, 300_000);
afterAll(async () => {
  await server?.stop();
});

const EVENT = { type: "custom", data: { name: "n" } };

async function asAdmin(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function errorOf(call: Promise<unknown>): Promise<ContinuoError> {
  const error = await call.then(
    () => new Error("the call succeeded"),
    (reason: unknown) => reason,
  );
  if (!isContinuoError(error)) throw error;
  expect(error.hint).toBeTruthy();
  return error;
}

function codeOf(error: unknown): string {
  return isContinuoError(error) ? error.code : String(error);
}

/** Every kind of call: reads, writes, appends in one statement, and the work of operators. */
function callsOf(
  store: Store & Awaited<ReturnType<typeof openStore>>,
): Record<string, () => Promise<unknown>> {
  return {
    append: () => store.append("log", [EVENT]),
    "append with side writes": () =>
      store.append("log", [EVENT], { also: [{ type: "cursor", name: "c", sequence: 1 }] }),
    read: () => store.read("log"),
    listLogs: () => store.listLogs(),
    listSessions: () => store.listSessions(),
    createSession: () => store.createSession(),
    verify: () => store.verify("log"),
    putBlob: () => store.putBlob(new Uint8Array(600_000)),
    info: () => store.info(),
    vacuum: () => vacuumStore(store),
    backup: () => backupStore(store, join(folder, "never.db")),
  };
}

test("every call to a killed server fails as unavailable, and works again after the server is back", async () => {
  await using store = await openStore(server.url);
  await store.createLog({ logId: "log", events: [EVENT] });
  await server.kill();
  // The server's processes answer for a moment, until they notice that it was killed.
  await expect.poll(() => store.read("log").then(() => "read", codeOf)).toBe("unavailable");
  for (const [name, call] of Object.entries(callsOf(store))) {
    expect((await errorOf(call())).code, name).toBe("unavailable");
  }
  await server.start();
  await expect.poll(() => store.append("log", [EVENT]).then(() => "stored", codeOf)).toBe("stored");
});

test("calls whose connections end while they run either succeed or fail as unavailable", async () => {
  await using store = await openStore(server.url);
  let state: "calling" | "done" = "calling";
  const codes = new Set<string>();
  const callers = Object.entries(callsOf(store)).map(async ([name, call]) => {
    while (state === "calling" && name !== "backup") {
      const error = await call().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error === undefined) continue;
      codes.add(
        isContinuoError(error) && error.hint !== undefined ? error.code : `${name}: ${String(error)}`,
      );
    }
  });
  for (let n = 0; n < 30; n++) {
    await asAdmin(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'continuo%'",
    );
  }
  state = "done";
  await Promise.all(callers);
  expect([...codes].filter((code) => !["unavailable", "busy"].includes(code))).toEqual([]);
  expect(codes).toContain("unavailable");
});

test("a cancelled statement fails as busy", async () => {
  await asAdmin("alter database postgres set statement_timeout = '50ms'");
  const blocker = new pg.Client({ connectionString: server.url });
  try {
    await blocker.connect();
    await blocker.query("begin");
    await blocker.query("lock table logs in access exclusive mode");
    await using store = await openStore(server.url);
    expect((await errorOf(store.read("log"))).code).toBe("busy");
  } finally {
    await blocker.end();
    await asAdmin("alter database postgres reset statement_timeout");
  }
});

test("the error for a database without its tables names the command that makes them", async () => {
  await asAdmin("create database empty");
  const url = server.url.replace(/postgres$/, "empty");
  const error = await errorOf(openStore(url));
  expect(error.code).toBe("migration_required");
  expect(error.message).toContain("has no tables of Continuo yet");
  expect(error.hint).toContain(`continuo store migrate --store ${url.replace(/\/\/.*@/, "//")}`);
  await using store = await openStore(url, { migrate: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("drop table events, logs cascade");
  await client.end();
  expect((await errorOf(store.read("log"))).code).toBe("migration_required");
});
