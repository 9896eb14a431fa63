import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import { SESSION, user, writeDatabase } from "../../../../../test/formats/opencode/sessions.ts";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { insertRow, openRowSink, updateRow } from "./row-sink.ts";

let home = "";
let path = "";
beforeEach(() => {
  home = scratchFolder("row-sink");
  path = join(home, "opencode.db");
});

function setModel(model: string): void {
  mkdirSync(join(home, ".config/opencode"), { recursive: true });
  writeFileSync(join(home, ".config/opencode/opencode.json"), JSON.stringify({ model }));
}

async function append(role: string, info: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const sink = await openRowSink(path, SESSION, { home, env: {} });
  const data = { role, ...info };
  const row = { id: "msg_9", session_id: SESSION, time_created: 1, time_updated: 1, data };
  try {
    sink.append([insertRow("message", row)]);
  } finally {
    sink.close();
  }
  const database = new DatabaseSync(path, { readOnly: true });
  const text = String(database.prepare("select data from message where id = 'msg_9'").get()?.data);
  database.close();
  return JSON.parse(text);
}

const OTHER = { row: { id: "ses_other" }, messages: [user("msg_2", "x", { model: named("leaf/green") })] };

function named(name: string): Readonly<Record<string, unknown>> {
  const [providerID, modelID] = name.split("/");
  return { providerID, modelID };
}

test("a prompt without a model gets the session's own model", async () => {
  const own = { messages: [user("msg_1", "x", { model: named("kettle/brew") })] };
  writeDatabase(path, [own, OTHER]);
  expect(await append("user")).toEqual({ role: "user", model: named("kettle/brew") });
});

test("otherwise it gets the model that was used last", async () => {
  setModel("a/b");
  writeDatabase(path, [{}, OTHER]);
  expect(await append("user")).toEqual({ role: "user", model: named("leaf/green") });
});

test("otherwise it gets the configured model; an answer keeps its model", async () => {
  setModel("a/b");
  writeDatabase(path, [{}]);
  expect(await append("assistant", { modelID: "c" })).toEqual({ role: "assistant", ...named("a/c") });
});

test("no model is written if no record has one", async () => {
  writeDatabase(path, [{}]);
  await expect(append("user")).rejects.toMatchObject({ code: "unsupported" });
  expect(await append("user", { model: named("a/b") })).toMatchObject({ model: named("a/b") });
});

test.each([
  ["a folder of a known repository", "repository/src/queue", "src/queue"],
  ["a known repository itself", "repository", ""],
  ["a repository that opencode has not seen", "new", ""],
  ["a folder without a repository", "notes/tea", null],
])(
  "a new session in %s has the path by which opencode's terminal filters",
  async (_what, folder, expected) => {
    for (const one of ["repository/.git", "repository/src/queue", "new/.git", "notes/tea"])
      mkdirSync(join(home, one), { recursive: true });
    writeDatabase(path, [{ messages: [user("msg_1", "x", { model: named("kettle/brew") })] }]);
    const database = new DatabaseSync(path);
    const project = database.prepare("insert into project (id, worktree) values (?, ?)");
    project.run("global", "/");
    project.run("p1", join(home, "repository"));
    const directory = join(home, folder);
    const sink = await openRowSink(path, "ses_new", { home, env: {} });
    const times = { time_created: 1, time_updated: 1 };
    sink.create([
      insertRow("session", {
        id: "ses_new",
        slug: "new",
        directory,
        path: "",
        title: "New",
        version: "1.18.34",
        ...times,
      }),
    ]);
    sink.close();
    const row = database.prepare("select path from session where id = 'ses_new'").get();
    database.close();
    expect(row?.path).toBe(expected ?? directory.slice(1));
  },
);

test("a row that is inserted and changed in one addition is written once, as it is at the end", async () => {
  writeDatabase(path, [{ messages: [user("msg_1", "x", { model: named("kettle/brew") })] }]);
  const database = new DatabaseSync(path);
  database.exec(
    "create table writes (what); create trigger i after insert on part begin insert into writes values ('insert'); end; " +
      "create trigger u after update on part begin insert into writes values ('update'); end; " +
      "create trigger s after update on session begin insert into writes values ('session'); end",
  );
  const sink = await openRowSink(path, SESSION, { home, env: {} });
  const part = { id: "prt_9", message_id: "msg_1", session_id: SESSION, time_created: 1, time_updated: 1 };
  const records = [
    insertRow("part", { ...part, data: { type: "tool", state: "running" } }),
    updateRow("session", SESSION, { time_updated: 2 }),
    updateRow("part", "prt_9", { data: { type: "tool", state: "done" }, time_updated: 3 }),
    updateRow("session", SESSION, { time_updated: 4 }),
  ];
  try {
    sink.append(records);
    expect(() => sink.append([updateRow("part", "prt_none", { time_updated: 5 })])).toThrow("prt_none");
  } finally {
    sink.close();
  }
  const all = (sql: string): unknown[] => database.prepare(sql).all();
  expect(all("select what from writes")).toEqual([{ what: "insert" }, { what: "session" }]);
  const data = JSON.stringify({ type: "tool", state: "done" });
  expect(all("select data, time_created, time_updated from part where id = 'prt_9'")).toEqual([
    { data, time_created: 1, time_updated: 3 },
  ]);
  expect(all("select time_updated from session")).toEqual([{ time_updated: 4 }]);
  database.close();
});
