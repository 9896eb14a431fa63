import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { checkDatabase, openStore, verifyStore } from "@continuo/store";
import { expect, test } from "vitest";
import { scratchFolder } from "../../scratch-folder.ts";

const folder = scratchFolder("projections");

let made = 0;

/** Returns a store with a session that has each kind of row, which `sql` then changed. */
async function storeChangedBy(sql: string): Promise<string> {
  const path = join(folder, `${made++}.db`);
  {
    await using store = await openStore(`sqlite:${path}`);
    await store.createSession({ sessionId: "s", title: "first", agent: "claude", metadata: { a: 1, b: 2 } });
    await store.updateSession("s", { title: "second", status: "closed", metadata: { b: null, c: [3] } });
    await store.createRun({ sessionId: "s", runId: "done" });
    await store.transitionRun("done", { to: "running", owner: "me" });
    await store.transitionRun("done", { to: "completed", result: { x: 1 } });
    await store.createRun({ sessionId: "s", runId: "waiting" });
    await store.createSession({ sessionId: "plain" });
    await store.commitCursor({ logId: "s", name: "c", sequence: 2 });
  }
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return `sqlite:${path}`;
}

async function reasonsIn(url: string): Promise<readonly (string | undefined)[]> {
  await using store = await openStore(url);
  const bad: (string | undefined)[] = [];
  for await (const { ok, reason } of verifyStore(store)) if (!ok) bad.push(reason);
  return bad;
}

test("rows that match their log pass verify", async () => {
  expect(await reasonsIn(await storeChangedBy(""))).toEqual([]);
});

test.each([
  ["another title", "update sessions set title = 'x' where session_id = 's'", "The title of the session"],
  ["another status", "update sessions set status = 'open'", "The status of the session"],
  ["another agent", "update sessions set agent = null", "The agent of the session"],
  [
    "other metadata",
    `update sessions set metadata = '{"a":1}' where session_id = 's'`,
    "The metadata of the session",
  ],
  [
    "another status of a run",
    "update runs set status = 'failed' where run_id = 'done'",
    "The run done is failed; the log says completed.",
  ],
  [
    "a run that is pending again",
    "update runs set status = 'running' where run_id = 'waiting'",
    "The run waiting is running; the log says pending.",
  ],
  [
    "a run without its row",
    "delete from runs where run_id = 'waiting'",
    "The run waiting of the log has no row.",
  ],
  [
    "a run that no event mentions",
    "update runs set run_id = 'other' where run_id = 'waiting'",
    "The run other is not in the log.",
  ],
  ["a cursor beyond the end", "update cursors set sequence = 99", "The cursor c is at 99"],
  [
    "a session without its log",
    "update logs set log_id = 'moved' where log_id = 'plain'",
    "The session has no log.",
  ],
])("%s is found by verify", async (_what, sql, reason) => {
  const reasons = await reasonsIn(await storeChangedBy(sql));
  expect(reasons[0]).toContain(reason);
});

test("each run without its session is found by verify, with its name", async () => {
  const url = await storeChangedBy("delete from sessions where session_id = 's'");
  expect(await reasonsIn(url)).toEqual(
    expect.arrayContaining(["The run done has no session.", "The run waiting has no session."]),
  );
});

test("payloads that were pruned from the log do not make the rows wrong", async () => {
  const url = await storeChangedBy("");
  {
    await using store = await openStore(url);
    await store.redact("s", 1, { reason: "private" });
  }
  expect(await reasonsIn(url)).toEqual([]);
});

test("a session passes verify while this process writes to it without a pause", async () => {
  await using store = await openStore(await storeChangedBy(""));
  let state: "writing" | "done" = "writing";
  const writing = (async () => {
    for (let n = 0; state === "writing"; n++) await store.updateSession("s", { title: `title ${n}` });
  })();
  const bad: unknown[] = [];
  for (let n = 0; n < 20; n++) for await (const found of verifyStore(store)) if (!found.ok) bad.push(found);
  state = "done";
  await writing;
  expect(bad).toEqual([]);
});

test("a damaged index is found by the check of the database", async () => {
  const url = await storeChangedBy("");
  const path = url.slice("sqlite:".length);
  const database = new DatabaseSync(path);
  const root = "select rootpage as page from sqlite_schema where name = 'sessions_by_status'";
  const { page } = database.prepare(root).get() as { readonly page: number };
  database.close();
  const bytes = readFileSync(path);
  bytes.write("C", bytes.indexOf("closed", (page - 1) * 4096));
  writeFileSync(path, bytes);
  await using store = await openStore(url);
  expect((await checkDatabase(store)).join()).toContain("sessions_by_status");
});

test("the check reports no errors for a sound database", async () => {
  await using store = await openStore(await storeChangedBy(""));
  expect(await checkDatabase(store)).toEqual([]);
});
