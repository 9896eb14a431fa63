/**
 * The two generations of opencode's sessions in one database: each session appears once, with its newest messages. The
 * first database is one that the real opencode wrote (`second-generation`). In the others, sessions are copied into the
 * tables of opencode 2 as its migration copies them, with their ids and times.
 */

import { cpSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  checkNativeSession,
  forkNativeSession,
  listNativeSessions,
  openSessionAdapter,
  type Places,
  readNativeDetails,
  readNativeSession,
  renameNativeSession,
  repairNativeSession,
  restoreNativeSession,
  trashNativeSession,
  writeNativeSession,
} from "@continuo/agents";
import { opencodeFormat } from "@continuo/native/opencode";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../sizes/counts.ts";
import { insertSecond, toOpencode2 } from "./second.ts";
import { FIRST_MS, insertMessage, openIn, SESSION, TEA, user, useScratch } from "./sessions.ts";

const FIXTURE = join(import.meta.dirname, "../../fixtures/opencode/second-generation");
const SECOND_ONLY = "ses_0000000000000000000000000002";
const LATER_MS = FIRST_MS + 3_600_000;

const { folder, databaseOf } = useScratch();

/** A home of its own, with its trash and its locks. */
function placesFor(database: string): Places {
  const home = folder();
  return { home, env: { OPENCODE_DB: database, CONTINUO_HOME: join(home, "continuo") } };
}

async function saidIn(path: string, id: string = SESSION): Promise<string[]> {
  using session = await openIn(path, id);
  const history = await Array.fromAsync(session.history());
  return history.flatMap(({ content }) =>
    content.flatMap((each) => (each.type === "text" ? [each.text] : [])),
  );
}

/** A session in both generations, and one that only opencode 2 has. */
function migrated(): string {
  const path = databaseOf({ messages: TEA });
  toOpencode2(path, [SESSION]);
  const database = new DatabaseSync(path);
  database
    .prepare(
      "insert into session_v2 (id, project_id, slug, directory, title, version, time_created, time_updated) " +
        "values (?, 'global', 'x', '/home/dev/tea', 'Green', '2.0.15', ?, ?)",
    )
    .run(SECOND_ONLY, FIRST_MS, FIRST_MS);
  database.close();
  const row = { id: "msg_7", sessionId: SECOND_ONLY, type: "user", seq: 0, at: FIRST_MS };
  insertSecond(path, { ...row, data: { text: "Green tea?", time: { created: FIRST_MS } } });
  return path;
}

function sayInSecond(path: string, words: string): void {
  const row = { id: "msg_8", sessionId: SESSION, type: "user", seq: 8, at: LATER_MS };
  insertSecond(path, { ...row, data: { text: words, time: { created: LATER_MS } } });
}

function sayInFirst(path: string, words: string): void {
  const database = new DatabaseSync(path);
  insertMessage(database, SESSION, { ...user("msg_5", words), at: LATER_MS }, 0);
  database.close();
}

function tables(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  const names = ["session", "message", "part", "session_v2", "session_message"];
  const rows = names.map((name) => {
    const exists = database.prepare("select 1 from sqlite_schema where name = ?").get(name) !== undefined;
    return exists ? database.prepare(`select * from ${name} order by id`).all() : null;
  });
  database.close();
  return rows;
}

describe("a session of opencode's second generation", () => {
  test("is read as the real opencode wrote it, with its calls, their results and both models", async () => {
    const { sessionId } = JSON.parse(readFileSync(join(FIXTURE, "requests.json"), "utf8"));
    const places = { home: "/nowhere", env: { XDG_DATA_HOME: join(FIXTURE, "home") } };
    const { messages } = await readNativeSession(`opencode:${sessionId}`, { places });
    const details = await readNativeDetails(`opencode:${sessionId}`, { places });
    expect(messages.map(({ role, content }) => [role, content.map(({ type }) => type).join(" ")])).toEqual([
      ["user", "text"],
      ["assistant", "thinking text"],
      ["user", "text"],
      ["assistant", "thinking text tool_call tool_call"],
      ["tool", "tool_result"],
      ["tool", "tool_result"],
      ["assistant", "thinking text"],
      ["user", "text"],
      ["assistant", "text"],
    ]);
    expect(details).toMatchObject({ models: ["scripted-1", "scripted-2"], problems: [], unknownRecords: {} });
    expect(details.usage?.inputTokens).toBeGreaterThan(0);
  });

  test("is read out of a database of opencode 2 that has no other tables", async () => {
    const path = migrated();
    const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    database.exec("drop table part; drop table message; drop table session");
    database.close();
    const places = placesFor(path);
    const rows = await listNativeSessions({ agents: ["opencode"], places });
    expect(rows.map(({ sessionId, title }) => [sessionId, title]).sort()).toEqual([
      [SESSION, "Tea"],
      [SECOND_ONLY, "Green"],
    ]);
    expect(await saidIn(path)).toEqual(["Name the timer.", "How about `steep`?"]);
    const found = await Array.fromAsync(opencodeFormat.find(places, {}));
    const holding = await opencodeFormat.filter?.(
      found,
      () => (bytes) => Buffer.from(bytes).includes("Green"),
    );
    expect(holding?.map(({ sessionId }) => sessionId)).toEqual([SECOND_ONLY]);
  });

  test.each([
    ["shell", { command: "ls", output: { output: "timer.js" } }, "Shell command: ls\n\ntimer.js"],
    ["synthetic", { text: "Noted." }, "Noted."],
    ["skill", { text: "Boil first.", name: "brew" }, "Boil first."],
    ["system", { text: "It is Thursday." }, "It is Thursday."],
    ["compaction", { status: "completed", summary: "About tea.", recent: "" }, "About tea."],
  ])("says what a row of type %s says", async (type, data, words) => {
    const path = migrated();
    const row = { id: "msg_8", sessionId: SESSION, type, seq: 8, at: LATER_MS };
    insertSecond(path, { ...row, data: { ...data, time: { created: LATER_MS } } });
    expect((await saidIn(path)).at(-1)).toBe(words);
  });

  test("sends its model the summary in place of all messages before it", async () => {
    const path = migrated();
    const row = { id: "msg_8", sessionId: SESSION, type: "compaction", seq: 8, at: LATER_MS };
    const data = { status: "completed", summary: "About tea.", recent: "Steep." };
    insertSecond(path, { ...row, data: { ...data, time: { created: LATER_MS } } });
    using session = await openIn(path, SESSION);
    const view = opencodeFormat.modelView(await Array.fromAsync(session.history()));
    expect(view.map(({ role, content }) => [role, content.length])).toEqual([["user", 1]]);
    expect(JSON.stringify(view)).toMatch(/About tea\..*Steep\./u);
  });

  test("reports damaged rows, and reads the others", async () => {
    const path = migrated();
    const row = { id: "msg_8", sessionId: SESSION, type: "user", seq: 8, at: LATER_MS };
    insertSecond(path, { ...row, data: "{torn" });
    using session = await openIn(path, SESSION);
    expect(session.problems.map(({ code }) => code)).toEqual(["bad_json"]);
    expect(await saidIn(path)).toEqual(["Name the timer.", "How about `steep`?"]);
  });
});

describe("a session in both generations", () => {
  test("is listed once, and an equal copy is not a problem", async () => {
    const path = migrated();
    const rows = await listNativeSessions({ agents: ["opencode"], places: placesFor(path) });
    expect(rows.map(({ sessionId }) => sessionId).sort()).toEqual([SESSION, SECOND_ONLY]);
    const check = await checkNativeSession(`opencode:${SESSION}`, { places: placesFor(path) });
    expect(check.problems).toEqual([]);
  });

  test.each([
    ["opencode 2", sayInSecond],
    ["opencode 1", sayInFirst],
  ])("shows what %s said last", async (_which, say) => {
    const path = migrated();
    say(path, "Shorter?");
    expect(await saidIn(path)).toEqual(["Name the timer.", "How about `steep`?", "Shorter?"]);
    using session = await openIn(path, SESSION);
    expect(session.problems).toEqual([]);
  });

  test("is reported where both generations have later messages", async () => {
    const path = migrated();
    sayInFirst(path, "Shorter?");
    const row = { id: "msg_8", sessionId: SESSION, type: "user", seq: 8, at: LATER_MS - 1 };
    insertSecond(path, { ...row, data: { text: "Longer?", time: { created: LATER_MS - 1 } } });
    using session = await openIn(path, SESSION);
    expect(session.problems).toMatchObject([{ code: "diverged_copy" }]);
    expect((await saidIn(path)).at(-1)).toBe("Shorter?");
  });

  test("is renamed in both", async () => {
    const path = migrated();
    await renameNativeSession(`opencode:${SESSION}`, "Steep", { places: placesFor(path) });
    const database = new DatabaseSync(path, { readOnly: true });
    for (const table of ["session", "session_v2"]) {
      expect(database.prepare(`select title from ${table} where id = ?`).get(SESSION)).toEqual({
        title: "Steep",
      });
    }
    database.close();
  });

  test.each([SESSION, SECOND_ONLY])("is deleted from both, and restored to both: %s", async (id) => {
    const path = migrated();
    const before = tables(path);
    const places = placesFor(path);
    const { trashId } = await trashNativeSession(`opencode:${id}`, { places });
    const rows = await listNativeSessions({ agents: ["opencode"], places });
    expect(rows.map(({ sessionId }) => sessionId)).toEqual([id === SESSION ? SECOND_ONLY : SESSION]);
    expect(JSON.stringify(tables(path))).not.toContain(id);
    await restoreNativeSession(trashId, { places });
    expect(tables(path)).toEqual(before);
  });

  test("is neither appended to nor forked while opencode 2 keeps it, and stays as it was", async () => {
    const path = migrated();
    const before = tables(path);
    const places = placesFor(path);
    const ref = { format: "opencode", sessionFile: path, sessionId: SESSION } as const;
    const adapter = openSessionAdapter({ ...ref, places });
    await expect(adapter.appendUserMessage("More?")).rejects.toMatchObject({ code: "unsupported" });
    await adapter.close();
    await expect(forkNativeSession(`opencode:${SESSION}`, { places })).rejects.toMatchObject({
      code: "unsupported",
    });
    expect(tables(path)).toEqual(before);
  });

  test("is not repaired in place, which would change one of the two", async () => {
    const path = migrated();
    sayInFirst(path, "Shorter?");
    const database = new DatabaseSync(path);
    database.exec("update message set data = '{' where id = 'msg_2'");
    database.close();
    const before = tables(path);
    const repairing = repairNativeSession(`opencode:${SESSION}`, {
      places: placesFor(path),
      write: "in place",
    });
    await expect(repairing).rejects.toMatchObject({ code: "unsupported" });
    expect(tables(path)).toEqual(before);
  });
});

test("no session is written into a database that opencode 2 used last", async () => {
  const path = migrated();
  const before = tables(path);
  const message = { id: "1", role: "user", content: [{ type: "text", text: "Tea?" }], metadata: {} } as const;
  const writing = writeNativeSession([message], {
    to: "opencode",
    places: placesFor(path),
    cwd: folder(),
    title: "Tea",
  });
  await expect(writing).rejects.toMatchObject({ code: "unsupported" });
  expect(tables(path)).toEqual(before);
});

const state = fc.record({
  first: fc.integer({ min: 0, max: 3 }),
  second: fc.integer({ min: 0, max: 3 }),
  hasFirstRow: fc.boolean(),
  hasSecondRow: fc.boolean(),
});

test("no id is listed twice, whatever the tables contain, and a skim equals a full read", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(state, { minLength: 1, maxLength: 4 }), fc.boolean(), async (states, isCut) => {
      const path = databaseOf();
      toOpencode2(path, []);
      const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
      const expected = new Set<string>();
      for (const [at, { first, second, hasFirstRow, hasSecondRow }] of states.entries()) {
        const id = `ses_${at}`;
        const values = `'${id}', 'global', 'x', '/', 'T${at}', '1', ${FIRST_MS}, ${FIRST_MS}`;
        const columns = "id, project_id, slug, directory, title, version, time_created, time_updated";
        if (hasFirstRow) database.exec(`insert into session (${columns}) values (${values})`);
        if (hasSecondRow) database.exec(`insert into session_v2 (${columns}) values (${values})`);
        if (hasFirstRow || hasSecondRow) expected.add(id);
        for (let k = 0; k < first; k++) {
          insertMessage(database, id, { ...user(`msg_${at}_${k}`, `first ${k}`), at: FIRST_MS + k }, k);
        }
        for (let k = 0; k < second; k++) {
          const data = JSON.stringify({ text: `second ${k}`, time: { created: FIRST_MS + k } });
          database
            .prepare("insert into session_message values (?, ?, 'user', ?, ?, ?, ?)")
            .run(`msg_${at}_${k}`, id, k, FIRST_MS + k, FIRST_MS + k, data);
        }
      }
      database.close();
      const rows = await Array.fromAsync(opencodeFormat.find(placesFor(path), {}));
      expect(rows.map(({ sessionId }) => sessionId).sort()).toEqual([...expected].sort());
      for (const found of rows) {
        const { problems: _problems, ...row } = await opencodeFormat.skim(found, { part: "whole" });
        using session = await opencodeFormat.open(found, placesFor(path), {});
        expect(session.details).toMatchObject(row);
        const ids = (await Array.fromAsync(session.history())).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
      }
      if (!isCut) return;
      const copy = join(folder(), "opencode.db");
      cpSync(path, copy);
      truncateSync(copy, Math.floor(statSync(copy).size * 0.9));
      const left = await Array.fromAsync(opencodeFormat.find(placesFor(copy), {}));
      expect(new Set(left.map(({ sessionId }) => sessionId)).size).toBe(left.length);
    }),
    { numRuns: rounds(20) },
  );
});
