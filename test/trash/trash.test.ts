/**
 * Deleting a session removes it from its agent's places, and restoring brings it back byte for byte: for every fixture
 * of every agent, and for cases that no fixture has.
 */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Places } from "@continuo/agents";
import { beforeEach, describe, expect, test } from "vitest";
import {
  type AgentName,
  emptyTrash,
  forkNativeSession,
  isContinuoError,
  listTrashedSessions,
  restoreNativeSession,
  trashNativeSession,
} from "../../src/index.ts";
import { answer, insertSession, SESSION, text, user, writeDatabase } from "../formats/opencode/sessions.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { listedIn, placesFor, snapshot } from "./agent-home.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const NOW = new Date("2026-11-22T08:00:00.000Z");

let scratch: string;
let home: string;
let places: Places;

beforeEach(() => {
  scratch = scratchFolder("trash");
  home = join(scratch, "agent");
  mkdirSync(home);
});

function use(agent: AgentName): void {
  places = placesFor(agent, { scratch, home });
}

const listed = (): Promise<string[]> => listedIn(places);

function copy(fixture: string, agent: AgentName): void {
  cpSync(join(FIXTURES, fixture, "home"), home, { recursive: true });
  use(agent);
}

/** Returns the names of all remaining files. */
function left(): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1));
}

describe("what goes along", () => {
  test.each(["memory", ".", "..", "src"])(
    "Claude Code: %s.jsonl is no session id, so that no folder is moved with the file",
    async (name) => {
      copy("claude/text-and-thinking", "claude");
      const [fixture = ""] = left().filter((path) => path.endsWith(".jsonl"));
      const folder = dirname(join(home, fixture));
      const path = `${folder}/${name}.jsonl`;
      cpSync(join(home, fixture), path);
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, "MEMORY.md"), "not of a session");
      const before = left();
      await trashNativeSession(path, { places });
      expect(left()).toEqual(before.filter((one) => join(home, one) !== path));
    },
  );

  test("Claude Code: the folder beside the file; a fork is a full copy and stays", async () => {
    copy("claude/subagent", "claude");
    const [id = ""] = await listed();
    await trashNativeSession(id, { places });
    expect(left().filter((path) => path.startsWith("projects/"))).toEqual([]);
    copy("claude/fork", "claude");
    const [first = "", second = ""] = await listed();
    await trashNativeSession(first, { places });
    expect(await listed()).toEqual([second]);
  });

  test("Gemini CLI: sub-agents, tool outputs and logs of the session, and the copy of the older kind", async () => {
    copy("gemini/subagent", "gemini");
    const [id = ""] = await listed();
    const sessionId = id.replace("gemini:", "");
    const project = join(home, ".gemini/tmp/project");
    const [chat = ""] = readdirSync(join(project, "chats")).filter((name) => name.startsWith("session-"));
    const owner = readFileSync(join(project, ".project_root"), "utf8").trim();
    const { createHash } = await import("node:crypto");
    const older = join(home, ".gemini/tmp", createHash("sha256").update(owner).digest("hex"), "chats");
    for (const path of [`logs/session-${sessionId}.jsonl`, `tool-outputs/session-${sessionId}/a.txt`]) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), "kept");
    }
    mkdirSync(older, { recursive: true });
    cpSync(join(project, "chats", chat), join(older, chat));
    const before = snapshot(home);
    await trashNativeSession(id, { places });
    expect(left().filter((path) => path.startsWith(".gemini/tmp/"))).toEqual([
      ".gemini/tmp/project/.project_root",
    ]);
    expect(await listed()).toEqual([]);
    await restoreNativeSession(id, { places });
    expect(snapshot(home)).toEqual(before);
  });

  test("Codex: a thread that forks read cannot be deleted before them; both can be deleted together", async () => {
    copy("codex/fork", "codex");
    const all = await listed();
    const outcomes = await Promise.all(
      all.map(async (id) => ({
        id,
        error: await trashNativeSession(id, { places }).catch((e: unknown) => e),
      })),
    );
    const refused = outcomes.filter(({ error }) => isContinuoError(error, "has_forks"));
    expect(refused.length).toBeGreaterThan(0);
    expect(await listed()).toEqual(refused.map(({ id }) => id));
  });

  test("Codex: the title of the index comes back when Codex has forgotten it since", async () => {
    copy("codex/title", "codex");
    const index = join(home, "session_index.jsonl");
    const before = readFileSync(index, "utf8");
    const [id = ""] = await listed();
    await trashNativeSession(id, { places });
    writeFileSync(index, "");
    await restoreNativeSession(id, { places });
    expect(readFileSync(index, "utf8")).toBe(before);
  });

  test("Codex: database rows are deleted and restored with a thread, and a fork has none of its ids", async () => {
    copy("codex/title", "codex");
    const [ref = ""] = await listed();
    const threadId = ref.replace("codex:", "");
    const state = join(home, "state_5.sqlite");
    const words = join(home, "thread_history_1.sqlite");
    const other = "01a20055-0000-7000-8000-000000000000";
    {
      using db = new DatabaseSync(state);
      // Codex 0.171.0 creates this table.
      db.exec(`create table session_model_ids (session_id text not null, kind text not null, external_key text not null,
          ordinal integer not null check (ordinal >= 0), initial_state text, primary key (session_id, kind, external_key),
          unique (session_id, kind, ordinal), check ((ordinal = 0) = (initial_state is not null)))`);
      const insert = db.prepare("insert into session_model_ids values (?, 'agent', ?, ?, ?)");
      for (const id of [threadId, other]) {
        insert.run(id, "first", 0, '{"version":1}');
        insert.run(id, "second", 1, null);
      }
    }
    {
      using db = new DatabaseSync(words);
      db.exec("create table thread_items (thread_id text, item_json text)");
      db.prepare("insert into thread_items values (?, 'Name the timer.'), (?, 'Another.')").run(
        threadId,
        other,
      );
    }
    const owners = (path: string, column: string, table: string): unknown[] => {
      using db = new DatabaseSync(path, { readOnly: true });
      return db
        .prepare(`select ${column} as id from ${table} order by 1`)
        .all()
        .map(({ id }) => id);
    };
    const rows = () => [
      owners(state, "session_id", "session_model_ids"),
      owners(words, "thread_id", "thread_items"),
    ];
    const before = rows();
    const { sessionId, location } = await forkNativeSession(ref, { places });
    expect(rows()).toEqual(before);
    const header = JSON.parse(readFileSync(location, "utf8").split("\n")[0] ?? "");
    expect(header.payload).toMatchObject({ id: sessionId, session_id: sessionId });
    await trashNativeSession(ref, { places });
    expect(rows()).toEqual([[other, other], [other]]);
    await restoreNativeSession(threadId, { places });
    expect(rows()).toEqual(before);
  });
});

describe("opencode's rows", () => {
  const OTHER = "ses_0000000000000000000000000002";
  const CHILD = "ses_0000000000000000000000000003";
  let database: string;

  beforeEach(() => {
    use("opencode");
    database = join(home, "opencode/opencode.db");
    writeDatabase(database, [
      { messages: [user("msg_1", "Tea?"), answer("msg_2", [text("Yes.")])] },
      { row: { id: OTHER }, messages: [user("msg_3", "Milk?")] },
      { row: { id: CHILD, parent_id: SESSION }, messages: [user("msg_4", "Sugar?")] },
    ]);
    using db = new DatabaseSync(database);
    db.exec(`create table todo (session_id text not null references session(id) on delete cascade, content text, position integer);
      create table event_sequence (aggregate_id text primary key, seq integer not null);
      create table event (id text primary key, aggregate_id text not null references event_sequence(aggregate_id) on delete cascade, data text);
      insert into todo values ('${SESSION}', 'Boil water', 0), ('${OTHER}', 'Buy milk', 0);
      insert into event_sequence values ('${SESSION}', 1), ('${OTHER}', 1);
      insert into event values ('e1', '${SESSION}', 'a' || char(0) || 'b'), ('e2', '${OTHER}', null);
      insert into event values ('e3', '${SESSION}', cast(x'ff41' as text))`);
  });

  function rows(): Record<string, unknown[]> {
    using db = new DatabaseSync(database);
    const tables = db.prepare("select name from sqlite_schema where type = 'table' order by name").all();
    return Object.fromEntries(
      tables.map(({ name }) => {
        const columns = db.prepare("select name from pragma_table_info(?)").all(String(name));
        const exact = columns.map(
          (column) => `quote(cast("${column.name}" as blob)) || typeof("${column.name}")`,
        );
        return [String(name), db.prepare(`select ${exact.join(", ")} from "${name}" order by 1, 2`).all()];
      }),
    );
  }

  test("every table's rows of the session and of those that it started go and come back, byte for byte", async () => {
    const before = rows();
    await trashNativeSession(SESSION, { places });
    expect(await listed()).toEqual([`opencode:${OTHER}`]);
    const after = rows();
    expect(Object.fromEntries(Object.entries(after).map(([name, all]) => [name, all.length]))).toMatchObject({
      session: 1,
      message: 1,
      part: 1,
      todo: 1,
      event: 1,
      event_sequence: 1,
    });
    await restoreNativeSession(SESSION, { places });
    expect(rows()).toEqual(before);
    expect(await listed()).toEqual([`opencode:${SESSION}`, `opencode:${OTHER}`]);
  });

  test("while opencode has the database open, with a log beside it", async () => {
    using owner = new DatabaseSync(database);
    owner.exec("pragma journal_mode = wal");
    insertSession(owner, { row: { id: "ses_fresh" }, messages: [user("msg_9", "Hot?")] });
    await trashNativeSession("ses_fresh", { places });
    expect(owner.prepare("select id from message where session_id = 'ses_fresh'").all()).toEqual([]);
    await restoreNativeSession("ses_fresh", { places });
    expect(owner.prepare("select id from message where session_id = 'ses_fresh'").all()).toEqual([
      { id: "msg_9" },
    ]);
  });

  test("rows that hang on the session and that Continuo does not know: nothing is deleted", async () => {
    {
      using db = new DatabaseSync(database);
      db.exec(`create table newer (id text primary key, of_message text references message(id) on delete cascade);
        create unique index message_key on message (id); insert into newer values ('n', 'msg_1')`);
      // The real tables refer to each other; these tables stand for one of a future version.
    }
    const before = rows();
    await expect(trashNativeSession(SESSION, { places })).rejects.toMatchObject({ code: "unsupported" });
    expect(rows()).toEqual(before);
    expect(listTrashedSessions({ places })).toEqual([]);
  });

  test("a database that cannot be read is no session to delete", async () => {
    writeFileSync(join(home, "opencode/opencode-broken.db"), "no database");
    await expect(trashNativeSession("opencode-broken.db", { places })).rejects.toMatchObject({
      code: "unreadable",
    });
    expect(existsSync(join(home, "opencode/opencode-broken.db"))).toBe(true);
  });
});

describe("refusals leave everything as it was", () => {
  test("a live session of Claude Code", async () => {
    copy("claude/text-and-thinking", "claude");
    const [id = ""] = await listed();
    const stat = readFileSync("/proc/self/stat", "utf8");
    const procStart = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    mkdirSync(join(home, "sessions"), { recursive: true });
    writeFileSync(
      join(home, `sessions/${process.pid}.json`),
      JSON.stringify({ pid: process.pid, sessionId: id.replace("claude:", ""), procStart }),
    );
    const before = snapshot(home);
    await expect(trashNativeSession(id, { places })).rejects.toMatchObject({ code: "session_live" });
    expect(snapshot(home)).toEqual(before);
  });

  test("a file called .jsonl does not take its whole folder along", async () => {
    copy("claude/text-and-thinking", "claude");
    const folder = join(home, "projects/-home-dev-project");
    const [name = ""] = readdirSync(folder).filter((one) => one.endsWith(".jsonl"));
    cpSync(join(folder, name), join(folder, ".jsonl"));
    await trashNativeSession(join(folder, ".jsonl"), { places }).catch((error: unknown) => error);
    expect(readdirSync(folder)).toContain(name);
  });

  test("a Gemini CLI session with an empty id does not take the chats folder along", async () => {
    copy("gemini/subagent", "gemini");
    const chats = join(home, ".gemini/tmp/project/chats");
    const [kept = ""] = readdirSync(chats).filter((name) => name.startsWith("session-"));
    const odd = join(chats, "session-2026-01-01T00-00-.jsonl");
    writeFileSync(
      odd,
      `${JSON.stringify({ sessionId: ".", projectHash: "h", startTime: NOW, lastUpdated: NOW })}\n`,
    );
    await trashNativeSession(odd, { places }).catch((error: unknown) => error);
    expect(readdirSync(chats)).toContain(kept);
  });
});

test("emptying the trash by age", async () => {
  copy("pi/fork", "pi");
  const [first = "", second = ""] = await listed();
  const old = await trashNativeSession(first, { places, now: new Date(NOW.getTime() - 31 * 86_400_000) });
  const fresh = await trashNativeSession(second, { places, now: NOW });
  expect(emptyTrash({ places, now: NOW, olderThanDays: 30 })).toEqual([old]);
  expect(listTrashedSessions({ places })).toEqual([fresh]);
  expect(emptyTrash({ places })).toEqual([fresh]);
  expect(readdirSync(join(scratch, "continuo/trash"))).toEqual([]);
});
