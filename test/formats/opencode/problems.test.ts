import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { checkNativeSession, listNativeSessions, openNativeSession } from "@continuo/agents";
import { isContinuoError } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import {
  answer,
  FIRST_MS,
  openIn,
  placesOf,
  SESSION,
  type SessionOf,
  TEA,
  text,
  toolPart,
  user,
  useScratch,
} from "./sessions.ts";

const { folder, databaseOf } = useScratch();

describe("older and newer databases", () => {
  test("unknown tables and columns are tolerated, and columns that are not there", async () => {
    const path = databaseOf();
    const database = new DatabaseSync(path);
    database.exec(`
      drop table session; drop table workspace; drop table message;
      create table session (id text primary key, title text, mood text, secret blob);
      insert into session values ('${SESSION}', 'Tea', 'calm', x'ff00');
      create table message (id text primary key, session_id text, data text, colour integer);
      insert into message values ('msg_1', '${SESSION}', '{"role":"user","time":{"created":1}}', 9007199254740993);
      create table kettle (id text); insert into kettle values ('k');
    `);
    database.close();
    using session = await openIn(path);
    expect(session.details).toMatchObject({ title: "Tea", cwd: null, createdAt: null, problems: [] });
    const entries = await Array.fromAsync(session.entries());
    expect(entries.map(({ value }) => value)).toEqual([
      { id: SESSION, title: "Tea", mood: "calm", secret: { bytes: "/wA=" } },
      {
        id: "msg_1",
        session_id: SESSION,
        data: { role: "user", time: { created: 1 } },
        colour: "9007199254740993",
      },
    ]);
  });

  test("newer_format: rows of a type that is not known are kept, and reported", async () => {
    const path = databaseOf({});
    const database = new DatabaseSync(path);
    database.exec(`create table session_message (id text primary key, session_id text, type text, seq integer, data text);
      insert into session_message values ('msg_1', '${SESSION}', 'user', 1, '{"text":"Tea?"}');
      insert into session_message values ('msg_9', '${SESSION}', 'kettle', 2, '{"text":"new"}')`);
    database.close();
    using session = await openIn(path);
    expect(session.problems.map(({ code }) => code)).toEqual(["newer_format"]);
    expect(session.details.unknownRecords).toEqual({ kettle: 1 });
    const last = (await Array.fromAsync(session.entries())).at(-1);
    expect(last).toMatchObject({
      row: "msg_9",
      type: "kettle",
      active: false,
      value: { data: { text: "new" } },
    });
  });

  test.each([
    ["without a table", "drop table part"],
    [
      "without a column that is needed",
      "drop index part_message_id_id_idx; alter table part rename column message_id to mid",
    ],
  ])("unreadable: one %s is listed with what is missing", async (_what, sql) => {
    const path = databaseOf({ messages: TEA });
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    const [row, ...others] = await listNativeSessions({ agents: ["opencode"], places: placesOf(path) });
    expect(others).toEqual([]);
    expect(row).toMatchObject({ location: path, problems: [{ code: "unreadable" }] });
    expect(row?.problems[0]?.message).toMatch(/table part/u);
  });

  test.each([
    ["empty", ""],
    ["no database", "This is a shopping list, and no database."],
    ["cut off in its head", "SQLite format 3\0"],
  ])("unreadable: a file that is %s is listed, and refused", async (_what, bytes) => {
    const path = join(folder(), "opencode.db");
    writeFileSync(path, bytes);
    const [row] = await listNativeSessions({ agents: ["opencode"], places: placesOf(path) });
    expect(row).toMatchObject({ sessionId: "opencode.db", problems: [{ code: "unreadable" }] });
    await expect(openNativeSession(path, { places: placesOf(path) })).rejects.toSatisfy((error) =>
      isContinuoError(error),
    );
  });
});

describe("what is odd is a problem, and the rest is read", () => {
  async function codesOf(session: SessionOf, sql = "", sessionId = SESSION): Promise<string[]> {
    const path = databaseOf(session);
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    const { problems } = await checkNativeSession(`${path}#${sessionId}`, { places: placesOf(path) });
    return problems.map(({ code }) => code);
  }
  const withPart = (data: Record<string, unknown> | string): SessionOf => ({
    messages: [...TEA, { ...user("msg_3", "x"), parts: [{ id: "prt_9", data }] }],
  });

  test.each<[string, string[], SessionOf, string]>([
    ["nothing", [], { messages: TEA }, ""],
    ["a session without a message", ["empty"], {}, ""],
    ["data that is not JSON", ["bad_json", "cannot_resume"], withPart('{"type":"te'), ""],
    ["data that is no object", ["bad_record"], withPart("[1]"), ""],
    ["a part without a type", ["bad_record", "cannot_resume"], withPart({}), ""],
    ["a text without text", ["bad_record", "cannot_resume"], withPart({ type: "text" }), ""],
    [
      "a tool without a state",
      ["bad_record", "cannot_resume"],
      withPart({ type: "tool", callID: "c", tool: "t" }),
      "",
    ],
    [
      "a message of nobody",
      ["bad_record"],
      { messages: [...TEA, { id: "msg_3", data: { role: "kettle" } }] },
      "",
    ],
    [
      "data that is no text",
      ["bad_record"],
      { messages: TEA },
      "update part set data = 7 where id = 'prt_msg_1'",
    ],
    [
      "bytes that are no UTF-8",
      ["bad_utf8"],
      { messages: TEA },
      `update part set data = cast(x'7b2274797065223a2274657874222c2274657874223a22ff227d' as text) where id = 'prt_msg_1'`,
    ],
    [
      "a message without an id",
      ["missing_id"],
      { messages: TEA },
      `insert into message values (null, '${SESSION}', ${FIRST_MS}, 0, '{"role":"user","time":{"created":1}}')`,
    ],
    [
      "an answer to a lost message",
      ["dangling_parent"],
      { messages: [...TEA, answer("msg_3", [], { parentID: "msg_0" })] },
      "",
    ],
    [
      "a part of a lost message",
      ["dangling_parent"],
      { messages: TEA },
      "delete from message where id = 'msg_1'",
    ],
    [
      "a part of another session",
      ["wrong_session_id"],
      { messages: TEA },
      "update part set session_id = 'ses_2' where id = 'prt_msg_1'",
    ],
    ["a lost row of the session", ["missing_header"], { messages: TEA }, "delete from session"],
    ["a call without a result", ["call_without_result"], withPart(toolPart("c1", { status: "running" })), ""],
    [
      "a session whose parent is gone",
      ["missing_parent_session"],
      { row: { parent_id: "ses_0" }, messages: TEA },
      "",
    ],
  ])("%s: %j", async (_what, codes, session, sql) => {
    expect(await codesOf(session, sql)).toEqual(codes);
  });

  test("too_large: a record that is longer than Continuo reads is left in the database", async () => {
    const path = databaseOf({ messages: TEA });
    const database = new DatabaseSync(path);
    database.exec("update part set data = zeroblob(268435457) where id = 'prt_msg_1'");
    database.close();
    using session = await openIn(path);
    expect(session.problems.map(({ code }) => code)).toEqual(["too_large"]);
    expect(session.details.sizeBytes).toBeGreaterThan(256 * 1024 * 1024);
    expect((await Array.fromAsync(session.history())).at(-1)?.content).toEqual([text("How about `steep`?")]);
  });
});
