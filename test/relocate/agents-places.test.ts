/**
 * A relocation at each agent: the places that it changes, and those that it leaves, such as places that the new folder
 * already has, and texts of messages.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Places } from "@continuo/files";
import { listNativeSessions } from "@continuo/native";
import { relocateProject } from "@continuo/native/editing";
import { beforeEach, describe, expect, test } from "vitest";
import { folderName, sessionPath, talk } from "../lost/claude-recipes.ts";
import {
  codexPath,
  header,
  rolloutName,
  said,
  shown,
  TALK,
  THREAD,
  writeThread,
} from "../lost/codex-recipes.ts";
import { GEMINI_TALK, geminiHead, geminiPath, writeGemini } from "../lost/gemini-recipes.ts";
import { makeRepository, OPENCODE_ID, opencodeDatabase, writeOpencode } from "../lost/opencode-recipes.ts";
import { PI_ID, PI_TALK, piHeader } from "../lost/pi-recipes.ts";
import { type LostHome, makeLostHome, placesOfHome, toLines, writeText } from "../lost/recipe.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { ANSWERED, ASKED } from "./five-agents.ts";

const OTHER = "5a1d2c3b-7e8f-4a90-8b1c-2d3e4f5a6b7c";

let home: LostHome;
let target: string;

beforeEach(() => {
  home = makeLostHome(scratchFolder("agents-places"));
  target = join(home.root, "renamed");
});

async function relocate(places: Places = placesOfHome(home)) {
  if (!existsSync(target)) renameSync(home.project, target);
  return await relocateProject(home.project, target, { places, write: "in place" });
}

const read = (path: string): string => readFileSync(path, "utf8");
const json = (path: string) => JSON.parse(read(path));
const linesOf = (path: string) =>
  read(path)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

function writeClaude(more: object = {}, path: string = sessionPath(home), id?: string): void {
  const records = talk(home, [ASKED, ANSWERED], id).map((record) => ({ ...record, ...more }));
  writeText(path, toLines(records));
}

const claudePath = (cwd: string, name?: string): string => sessionPath(home, name, folderName(cwd));

describe("Claude Code", () => {
  test("settings that the new folder has stay as they are", async () => {
    writeClaude();
    const settings = {
      projects: { [home.project]: { allowedTools: ["Bash"] }, [target]: { allowedTools: [] } },
    };
    writeText(join(home.root, ".claude.json"), JSON.stringify(settings));
    await relocate();
    expect(json(join(home.root, ".claude.json"))).toEqual(settings);
  });

  test("the configured folder has the settings and the sessions", async () => {
    const folder = join(home.root, "config");
    writeClaude({}, join(folder, "projects", folderName(home.project), `${OTHER}.jsonl`), OTHER);
    writeText(join(folder, ".claude.json"), JSON.stringify({ projects: { [home.project]: {} } }));
    await relocate({ home: home.root, env: { CLAUDE_CONFIG_DIR: folder } });
    expect(Object.keys(json(join(folder, ".claude.json")).projects)).toEqual([target]);
    expect(existsSync(join(folder, "projects", folderName(target), `${OTHER}.jsonl`))).toBe(true);
  });

  test("notes of a project stay with the session of another one, whose folder has the same name", async () => {
    const beside = { ...home, project: `${home.project}.two` };
    home = { ...home, project: `${home.project}-two` };
    mkdirSync(home.project);
    writeClaude();
    writeText(sessionPath(beside, `${OTHER}.jsonl`), toLines(talk(beside, [ASKED, ANSWERED], OTHER)));
    const notes = join(dirname(sessionPath(home)), "memory", "MEMORY.md");
    writeText(notes, "Use tabs.\n");
    await relocate();
    expect(existsSync(claudePath(target))).toBe(true);
    expect(read(notes)).toBe("Use tabs.\n");
  });

  test("a note that the new folder has is not replaced", async () => {
    writeClaude();
    const notes = (cwd: string): string => join(dirname(claudePath(cwd)), "memory", "MEMORY.md");
    writeText(notes(home.project), "Use tabs.\n");
    writeText(notes(target), "Use spaces.\n");
    await relocate();
    expect([home.project, target].map((cwd) => read(notes(cwd)))).toEqual(["Use tabs.\n", "Use spaces.\n"]);
  });

  test("a session that began below the project moves to the name of that folder, one that only went there to the project's", async () => {
    const cwd = join(home.project, "src");
    mkdirSync(cwd);
    writeClaude({ cwd }, claudePath(cwd));
    writeClaude({ cwd }, claudePath(home.project, `${OTHER}.jsonl`), OTHER);
    await relocate();
    expect(existsSync(claudePath(join(target, "src")))).toBe(true);
    expect(existsSync(claudePath(target, `${OTHER}.jsonl`))).toBe(true);
  });

  test("of equal keys in a record only that of the record itself is its folder", async () => {
    const [first = {}, second = {}] = talk(home, [ASKED, ANSWERED]);
    const result = { toolUseResult: { cwd: home.project } };
    writeText(sessionPath(home), toLines([{ ...result, ...first }, second]));
    await relocate();
    const [record] = linesOf(claudePath(target));
    expect(record).toMatchObject({ ...result, cwd: target });
  });

  test("a line that is no UTF-8 keeps its bytes", async () => {
    writeClaude();
    const cwd = JSON.stringify(home.project);
    const damaged = Buffer.concat([
      Buffer.from(`{"cwd":${cwd},"type":"`),
      Buffer.from([0xff]),
      Buffer.from('"}\n'),
    ]);
    const sound = Buffer.from(`{"agentId":"a1","isSidechain":true,"type":"user","cwd":${cwd}}\n`);
    const below = (cwd: string): string => claudePath(cwd).replace(".jsonl", "/subagents/agent-a1.jsonl");
    writeText(below(home.project), Buffer.concat([sound, damaged]));
    await relocate();
    const bytes = readFileSync(below(target));
    expect(bytes.subarray(-damaged.length)).toEqual(damaged);
    expect(bytes.toString("utf8")).toContain(JSON.stringify(target));
  });
});

describe("Codex", () => {
  const SECOND = "019f3a00-1b2c-7d3e-8f40-516273849502";
  const DAY = "sessions/2026/11/20";

  test("the rows of its threads name the folder that each has now", async () => {
    writeThread(home, [header(home), ...TALK]);
    const cwd = join(home.project, "src");
    writeThread(home, [header(home, { id: SECOND, cwd }), ...TALK], DAY, rolloutName(SECOND));
    using database = new DatabaseSync(codexPath(home, "state_5.sqlite"));
    database.exec("create table threads (id text primary key, cwd text not null)");
    const insert = database.prepare("insert into threads values (?, ?)");
    for (const row of [
      [THREAD, home.project],
      [SECOND, cwd],
      ["elsewhere", "/srv/other"],
    ] as const) {
      insert.run(...row);
    }
    await relocate();
    const rows = database.prepare("select cwd from threads order by id").all();
    expect(rows.map((row) => row.cwd)).toEqual([target, join(target, "src"), "/srv/other"]);
  });

  test("a thread that another one started moves with it, and is not counted", async () => {
    writeThread(home, [header(home), ...TALK]);
    const source = { subagent: { thread_spawn: { parent_thread_id: THREAD, depth: 1 } } };
    writeThread(home, [header(home, { id: SECOND, source }), ...TALK], DAY, rolloutName(SECOND));
    const { agents } = await relocate();
    const [head] = linesOf(codexPath(home, DAY, rolloutName(SECOND)));
    expect(head.payload.cwd).toBe(target);
    expect(agents).toMatchObject([{ agent: "codex", sessionIds: [THREAD], changed: 2 }]);
  });

  test("a fork that works elsewhere begins at the same line of the file that became longer", async () => {
    const first = toLines([header(home), said("user", "one"), shown("one")]);
    const rest = toLines([said("assistant", "two")]);
    const path = codexPath(home, DAY, rolloutName());
    writeText(path, first + rest);
    const base = {
      thread_id: THREAD,
      end_ordinal_exclusive: null,
      end_byte_offset: Buffer.byteLength(first),
    };
    const own = header(home, { id: SECOND, cwd: "/srv/other", history_base: base });
    writeThread(home, [own, said("user", "three"), shown("three")], DAY, rolloutName(SECOND));
    target = join(home.root, "a folder with a longer name");
    await relocate();
    const [head] = linesOf(codexPath(home, DAY, rolloutName(SECOND)));
    expect(head.payload.cwd).toBe("/srv/other");
    const { end_byte_offset } = head.payload.history_base;
    expect(readFileSync(path).subarray(end_byte_offset).toString("utf8")).toBe(rest);
  });
});

describe("Gemini CLI", () => {
  const hashOf = (folder: string): string => createHash("sha256").update(folder).digest("hex");
  const registry = (): string => join(home.root, ".gemini", "projects.json");
  const chatsIn = (name: string): readonly string[] => {
    const folder = join(home.root, ".gemini", "tmp", name, "chats");
    return existsSync(folder) ? readdirSync(folder) : [];
  };

  test("its sessions move to the folder of a project that the new folder is already, which keeps its mark and its entry", async () => {
    writeGemini(home, [geminiHead(home), ...GEMINI_TALK]);
    const there = { [target]: "renamed-1", [home.project]: "project", "/srv/other": "other" };
    writeText(registry(), JSON.stringify({ projects: there }));
    writeText(join(home.root, ".gemini/tmp/renamed-1/.project_root"), `${target}\n`);
    await relocate();
    expect([chatsIn("project").length, chatsIn("renamed-1").length]).toEqual([0, 1]);
    expect(read(join(home.root, ".gemini/tmp/renamed-1/.project_root"))).toBe(`${target}\n`);
    expect(json(registry()).projects).toEqual({ [target]: "renamed-1", "/srv/other": "other" });
  });

  test("a folder that is named by the hash of its path, and the hash in its sessions, are those of the new path", async () => {
    const name = "session-2026-11-20T10-00-7c9e6679.jsonl";
    writeText(registry(), JSON.stringify({ projects: { [home.project]: "project" } }));
    const old = join(home.root, ".gemini", "tmp", hashOf(home.project), "chats", name);
    writeText(old, toLines([geminiHead(home), ...GEMINI_TALK]));
    await relocate();
    expect(existsSync(old)).toBe(false);
    const [head] = linesOf(join(home.root, ".gemini", "tmp", hashOf(target), "chats", name));
    expect(head.projectHash).toBe(hashOf(target));
  });

  test("the mark of its folder below the history names the new folder too", async () => {
    writeGemini(home, [geminiHead(home), ...GEMINI_TALK]);
    const mark = join(home.root, ".gemini/history/project/.project_root");
    writeText(mark, home.project);
    await relocate();
    expect([read(mark), read(geminiPath(home, ".project_root"))]).toEqual([target, target]);
  });
});

test("opencode: the rows of a session and of its sub-agents name the new folder and its repository", async () => {
  const SUB = "ses_6f1f3f0a9ffeStartedByFirst";
  const root = makeRepository(home);
  writeOpencode(home);
  writeOpencode(home, { id: SUB, parent: OPENCODE_ID });
  await relocate();
  using database = new DatabaseSync(opencodeDatabase(home), { readOnly: true });
  const rows = database.prepare("select id, directory, project_id from session order by id desc").all();
  expect(rows.map((row) => ({ ...row }))).toEqual(
    expect.arrayContaining([OPENCODE_ID, SUB].map((id) => ({ id, directory: target, project_id: root }))),
  );
});

test("pi: a session in a folder that the person chose stays in it, and names the new folder", async () => {
  const chosen = join(home.root, "pi-sessions");
  const path = join(chosen, `2026-11-20T10-00-00-000Z_${PI_ID}.jsonl`);
  writeText(path, toLines([piHeader(home), ...PI_TALK]));
  const places = { home: home.root, env: { PI_CODING_AGENT_SESSION_DIR: chosen } };
  await relocate(places);
  expect(linesOf(path)[0].cwd).toBe(target);
  expect(await listNativeSessions({ places, cwd: target })).toMatchObject([{ agent: "pi", location: path }]);
});
