import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { FoundSession } from "../kit/index.ts";
import { geminiFormat } from "./index.ts";
import { hashOf } from "./places.ts";

const scratch = scratchFolder("gemini-find");
let home = "";
let places: Places;
beforeEach(() => {
  home = mkdtempSync(join(scratch, "home-"));
  places = { home, env: {} };
});

const A = "0faaaaaa-0000-4000-8000-00000000000a";
const B = "0fbbbbbb-0000-4000-8000-00000000000b";

/** Writes a file below `~/.gemini` and gives its path. */
function write(path: string, text: string): string {
  const whole = join(home, ".gemini", path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

function sessionText(id: string, more = "", time = "2026-05-06T07:00:00.000Z"): string {
  const header = { sessionId: id, projectHash: "x", startTime: time, lastUpdated: time, kind: "main" };
  return `${JSON.stringify(header)}\n{"id":"1","type":"user","content":"Hello."}\n${more}`;
}

async function findAll(cwd?: string): Promise<FoundSession[]> {
  return await Array.fromAsync(geminiFormat.find(places, cwd === undefined ? {} : { cwd }));
}

const namesOf = (found: FoundSession): string[] => found.files.map(({ path }) => basename(path));

describe("Gemini CLI's sessions are found", () => {
  test("nowhere if the machine has none", async () => {
    expect(await findAll()).toEqual([]);
  });

  test("in every project folder, with the id of the content, the folder's owner and no sub-agents", async () => {
    write(
      "projects.json",
      JSON.stringify({ projects: { "/home/dev/tea": "tea", "/home/dev/cake": "cake" } }),
    );
    write("tmp/tea/.project_root", "/home/dev/tea");
    write(`tmp/tea/chats/session-2026-05-06T07-00-0faaaaaa.jsonl`, sessionText(A));
    write(`tmp/tea/chats/${A}/${B}.jsonl`, sessionText(B));
    write("tmp/tea/chats/notes.jsonl", "{}\n");
    write(`tmp/cake/chats/session-whatever.jsonl`, sessionText(B));
    const found = await findAll();
    expect(found.map(({ sessionId, archived, live }) => ({ sessionId, archived, live }))).toEqual([
      { sessionId: B, archived: false, live: null },
      { sessionId: A, archived: false, live: null },
    ]);
    const cwds = await Promise.all(
      found.map(async (each) => (await geminiFormat.skim(each, { part: "ends" })).cwd),
    );
    expect(cwds).toEqual(["/home/dev/cake", "/home/dev/tea"]);
  });

  test("in the folder of GEMINI_CLI_HOME, and in the cache of a macOS sandbox", async () => {
    const path = write("tmp/tea/chats/session-2026-05-06T07-00-0faaaaaa.jsonl", sessionText(A));
    places = { home: "/nowhere", env: { GEMINI_CLI_HOME: home } };
    expect((await findAll()).map(({ location }) => location)).toEqual([path]);
    places = { home, env: { SANDBOX: "sandbox-exec" } };
    expect(await findAll()).toEqual([]);
    expect(geminiFormat.folders?.(places)).toEqual([join(home, ".cache/.gemini/tmp")]);
  });

  test("of one folder: by its mark, by the registry, by the hash of older versions, through a symbolic link", async () => {
    const project = join(home, "tea house");
    mkdirSync(project);
    symlinkSync(project, join(home, "link"));
    write("projects.json", JSON.stringify({ projects: { [project]: "by-registry" } }));
    write("tmp/by-mark/.project_root", `${project}\n`);
    write("tmp/by-mark/chats/session-1.jsonl", sessionText("1"));
    write("tmp/by-registry/chats/session-2.jsonl", sessionText("2"));
    write(`tmp/${hashOf(project)}/chats/session-3.jsonl`, sessionText("3"));
    write("tmp/other/.project_root", "/home/dev/other");
    write("tmp/other/chats/session-4.jsonl", sessionText("4"));
    for (const cwd of [project, join(home, "link"), `${project}/../tea house`]) {
      expect(new Set((await findAll(cwd)).map(({ sessionId }) => sessionId))).toEqual(
        new Set(["1", "2", "3"]),
      );
    }
  });

  test("once, if Gemini CLI copied an older folder", async () => {
    const project = "/home/dev/tea";
    write("projects.json", JSON.stringify({ projects: { [project]: "tea" } }));
    for (const name of ["tea", hashOf(project)]) write(`tmp/${name}/chats/session-1.jsonl`, sessionText("1"));
    write(`tmp/${hashOf(project)}/chats/session-2.jsonl`, sessionText("2"));
    const found = (await findAll()).map(({ location }) => location.slice(join(home, ".gemini/tmp/").length));
    expect(found.sort()).toEqual(
      [`${hashOf(project)}/chats/session-2.jsonl`, "tea/chats/session-1.jsonl"].sort(),
    );
  });

  test("as one, if a new start left a file next to a resumed session", async () => {
    const stub = sessionText(A, "", "2026-05-07T00:00:00.000Z").replace('"Hello."', '"<session_context>"');
    write("tmp/tea/chats/session-2026-05-06T07-00-0faaaaaa.jsonl", sessionText(A));
    write("tmp/tea/chats/session-2026-05-07T00-00-0faaaaaa.jsonl", stub);
    const [found, ...others] = await findAll();
    expect(others).toEqual([]);
    expect(found && namesOf(found)).toEqual([
      "session-2026-05-07T00-00-0faaaaaa.jsonl",
      "session-2026-05-06T07-00-0faaaaaa.jsonl",
    ]);
    expect(found?.location).toMatch(/T07-00-0faaaaaa\.jsonl$/u);
  });

  test("as one if an older file was written again; the new file counts", async () => {
    const old = { sessionId: A, projectHash: "x", lastUpdated: "2026-05-06T07:00:00.000Z" };
    const messages = [{ id: "1", type: "user", content: "Hello." }];
    write("tmp/tea/chats/session-1.json", JSON.stringify({ ...old, messages }, null, 2));
    write("tmp/tea/chats/session-1.jsonl", sessionText(A, "", "2026-05-07T00:00:00.000Z"));
    const [found, ...others] = await findAll();
    if (found === undefined) throw new Error("not found");
    expect(others).toEqual([]);
    expect(namesOf(found)).toEqual(["session-1.json", "session-1.jsonl"]);
    using session = await geminiFormat.open(found, { home, env: {} }, {});
    expect(session.problems.map(({ code }) => code)).not.toContain("duplicate_id");
    expect(session.details.title).toBe("Hello.");
  });

  test("as one with a problem, if two files hold conversations of one id", async () => {
    write("tmp/tea/chats/session-1.jsonl", sessionText(A, "", "2026-05-07T00:00:00.000Z"));
    write("tmp/tea/chats/session-2.jsonl", sessionText(A));
    const [found] = await findAll();
    if (found === undefined) throw new Error("not found");
    expect(found.location).toMatch(/session-1\.jsonl$/u);
    using session = await geminiFormat.open(found, { home, env: {} }, {});
    expect(session.problems.map(({ code }) => code)).toContain("duplicate_id");
    expect((await Array.fromAsync(session.entries())).map(({ file }) => file && basename(file))).toEqual([
      "session-2.jsonl",
      "session-2.jsonl",
      undefined,
      undefined,
    ]);
  });
});

describe("a path is recognised", () => {
  test("as the session, one of its other files, or a sub-agent", async () => {
    const main = write("tmp/tea/chats/session-1.jsonl", sessionText(A, "", "2026-05-07T00:00:00.000Z"));
    const other = write("tmp/tea/chats/session-2.jsonl", sessionText(A));
    const child = write(`tmp/tea/chats/${A}/${B}.jsonl`, sessionText(B));
    expect((await geminiFormat.recognise(main, places))?.files).toHaveLength(2);
    expect((await geminiFormat.recognise(other, places))?.files.map(({ path }) => path)).toEqual([other]);
    expect(await geminiFormat.recognise(child, places)).toMatchObject({ sessionId: B, location: child });
  });

  test("in any folder, if a record names a session and its project", async () => {
    const path = write("../anywhere.jsonl", sessionText(A));
    expect(await geminiFormat.recognise(path, places)).toMatchObject({ agent: "gemini", sessionId: A });
    expect(await geminiFormat.recognise(write("../x.jsonl", '{"type":"user"}\n'), places)).toBeNull();
    expect(await geminiFormat.recognise(write("../x.txt", sessionText(A)), places)).toBeNull();
  });

  test("an older file of one object is read as a whole", async () => {
    const messages = [
      { id: "1", timestamp: "2026-05-06T07:00:01.000Z", type: "user", content: "Hello." },
      { id: "2", timestamp: "2026-05-06T07:00:02.000Z", type: "gemini", content: "Hello you." },
    ];
    const path = write(
      "tmp/tea/chats/session-1.json",
      JSON.stringify(
        { sessionId: A, projectHash: "x", startTime: "2026-05-06T07:00:00.000Z", messages },
        null,
        2,
      ),
    );
    const found = await geminiFormat.recognise(path, places);
    if (found === null) throw new Error("not recognised");
    using session = await geminiFormat.open(found, { home: "/nowhere", env: {} }, {});
    expect(session.details).toMatchObject({
      sessionId: A,
      title: "Hello.",
      createdAt: "2026-05-06T07:00:00.000Z",
      updatedAt: "2026-05-06T07:00:02.000Z",
      records: 1,
      problems: [],
    });
    expect((await Array.fromAsync(session.history())).map(({ id }) => id)).toEqual(["1", "2"]);
    const { problems: _problems, ...row } = await geminiFormat.skim(found, { part: "whole" });
    expect(session.details).toMatchObject(row);
  });
});
