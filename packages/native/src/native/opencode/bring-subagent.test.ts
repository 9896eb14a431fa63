import { cpSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isJson, type Json } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { makersOfNow } from "../writing/index.ts";
import { bringSubagentRows } from "./bring-subagent.ts";

const FIXTURE = join(
  import.meta.dirname,
  "../../../../../test/fixtures/opencode/sub-agent/home/opencode/opencode.db",
);
const PARENT = { sessionId: "ses_new", cwd: "/home/dev", title: null, gitBranch: null, createdMs: 1 };

let folder: string;
let path: string;
let child: string;

beforeEach(() => {
  folder = scratchFolder("bring");
  path = join(folder, "opencode.db");
  cpSync(FIXTURE, path);
  child = changed((database) => {
    return String(database.prepare("select id from session where parent_id is not null").get()?.id);
  });
});

function changed<T>(change: (database: DatabaseSync) => T): T {
  using database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  return change(database);
}

/** Copies the row of a session. */
function addSession(id: string, parentId: string): void {
  changed((database) => {
    const row = database.prepare("select * from session where id = ?").get(child) ?? {};
    const values = { ...row, id, parent_id: parentId };
    const columns = Object.keys(values);
    const sql = `insert into session (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`;
    database.prepare(sql).run(...Object.values(values));
  });
}

function sessionsIn(records: readonly Json[]): readonly unknown[] {
  return records.flatMap(({ insert, values }) =>
    insert === "session" && isJson(values) ? [[values.id, values.parent_id]] : [],
  );
}

const bring = (sessionFile: string) =>
  bringSubagentRows({ location: `${path}#${child}`, parent: PARENT, sessionFile }, makersOfNow());

test("sub-agents of sub-agents are brought back too, and a cycle of them ends", async () => {
  addSession("ses_grandchild", child);
  changed((database) =>
    database.prepare("update session set parent_id = ? where id = ?").run("ses_grandchild", child),
  );
  const brought = await bring(join(folder, "other.db"));
  expect(sessionsIn(brought?.records ?? [])).toEqual([
    [child, "ses_new"],
    ["ses_grandchild", child],
  ]);
});

test("an id that already exists in the database is replaced in every record that names it", async () => {
  addSession("ses_grandchild", child);
  const brought = await bring(path);
  const [own = [], started = []] = sessionsIn(brought?.records ?? []) as string[][];
  const [id, parentId] = own;
  const [grandchild, startedBy] = started;
  expect(parentId).toBe("ses_new");
  expect(startedBy).toBe(id);
  expect([child, "ses_grandchild"]).not.toContain(id);
  expect([child, "ses_grandchild", id]).not.toContain(grandchild);
  const call = { data: { state: { metadata: { sessionId: child }, output: `task_id: ${child}` } } };
  expect(brought?.linked(call)).toEqual({
    data: { state: { metadata: { sessionId: id }, output: `task_id: ${child}` } },
  });
});

test("a sub-agent without a row is refused, and so is a file in place of a row", async () => {
  changed((database) => database.prepare("delete from session where id = ?").run(child));
  expect(await bring(join(folder, "other.db"))).toBeNull();
  const file = { location: path, parent: PARENT, sessionFile: path };
  expect(await bringSubagentRows(file, makersOfNow())).toBeNull();
});
