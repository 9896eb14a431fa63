import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { piFormat } from "./index.ts";
import { folderNameOf, piFolders, sessionIdOf } from "./places.ts";

let home = "";
beforeEach(() => {
  home = scratchFolder("pi-find");
});

const places = (env: Readonly<Record<string, string>> = {}): Places => ({ home, env });
const nameOf = (id: string): string => `2026-05-06T07-00-00-000Z_${id}.jsonl`;

function write(folder: string, name: string, header: object = {}): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  const first = { type: "session", version: 3, id: sessionIdOf(name) ?? "by-header", ...header };
  writeFileSync(path, `${JSON.stringify(first)}\n`);
  return path;
}

async function idsFound(where: Places, cwd?: string): Promise<string[]> {
  const found = await Array.fromAsync(piFormat.find(where, cwd === undefined ? {} : { cwd }));
  return found.map(({ sessionId }) => sessionId).sort();
}

describe("names", () => {
  test.each([
    ["/home/dev/tea", "--home-dev-tea--"],
    ["/", "----"],
    ["/a-b/c d/é.x", "--a-b-c d-é.x--"],
    ["C:\\tea\\cups", "--C--tea-cups--"],
  ])("the folder of %s is %s", (cwd, name) => {
    expect(folderNameOf(cwd)).toBe(name);
  });

  test.each([
    [nameOf("01a1ffe5-c1fb-77b2-b605-808b0cce9751"), "01a1ffe5-c1fb-77b2-b605-808b0cce9751"],
    [nameOf("my.own_id-1"), "my.own_id-1"],
    [nameOf("-x"), null],
    ["anything.jsonl", null],
    ["2026-05-06_x.jsonl", null],
  ])("the id in %s is %s", (name, id) => {
    expect(sessionIdOf(`/somewhere/${name}`)).toBe(id);
  });
});

describe("places", () => {
  test("are below the home, unless a variable moves them", () => {
    const usual = join(home, ".pi/agent");
    expect(piFolders(places())).toEqual({ agent: usual, sessions: join(usual, "sessions"), chosen: null });
    expect(piFolders(places({ PI_CODING_AGENT_DIR: "~/p" })).sessions).toBe(join(home, "p/sessions"));
    expect(piFolders(places({ PI_CODING_AGENT_DIR: "/p" })).sessions).toBe("/p/sessions");
    expect(piFolders(places({ PI_CODING_AGENT_SESSION_DIR: "~/all" })).chosen).toBe(join(home, "all"));
  });

  test("sessionDir of the user's settings is one, a relative one is none", () => {
    const settings = join(home, ".pi/agent/settings.json");
    mkdirSync(join(home, ".pi/agent"), { recursive: true });
    for (const [value, chosen] of [
      ["~/s", join(home, "s")],
      ["/s", "/s"],
      ["s", null],
      [5, null],
    ] as const) {
      writeFileSync(settings, JSON.stringify({ sessionDir: value }));
      expect(piFolders(places()).chosen).toBe(chosen);
    }
    writeFileSync(settings, "{");
    expect(piFolders(places()).chosen).toBe(null);
    expect(piFolders(places({ PI_CODING_AGENT_SESSION_DIR: "/e" })).chosen).toBe("/e");
  });
});

describe("finding", () => {
  test("a home without pi has none", async () => {
    expect(await idsFound(places())).toEqual([]);
  });

  test("sessions of all folders, of the chosen folder and of pi's own are listed once each", async () => {
    const agent = join(home, ".pi/agent");
    write(join(agent, "sessions/--a--"), nameOf("a"));
    write(join(agent, "sessions/--b--"), "by hand.jsonl");
    writeFileSync(join(agent, "sessions/--b--/notes.txt"), "");
    write(agent, nameOf("old"));
    write(join(home, "all"), nameOf("chosen"));
    writeFileSync(join(home, "all/data.jsonl"), '{"type":"x"}\n');
    const env = { PI_CODING_AGENT_SESSION_DIR: join(home, "all") };
    expect(await idsFound(places(env))).toEqual(["a", "by-header", "chosen", "old"]);
    expect(await idsFound(places({ PI_CODING_AGENT_SESSION_DIR: agent }))).toEqual(["a", "by-header", "old"]);
    expect(piFormat.folders?.(places(env))).toEqual([join(agent, "sessions"), join(home, "all")]);
  });

  test("a folder of sessions may be a symbolic link", async () => {
    write(join(home, "elsewhere"), nameOf("a"));
    mkdirSync(join(home, ".pi/agent/sessions"), { recursive: true });
    symlinkSync(join(home, "elsewhere"), join(home, ".pi/agent/sessions/--x--"));
    expect(await idsFound(places())).toEqual(["a"]);
  });

  test("a file that cannot be understood is still listed", async () => {
    const path = write(join(home, ".pi/agent/sessions/--a--"), "x.jsonl");
    writeFileSync(path, "no JSON\n");
    const [found] = await Array.fromAsync(piFormat.find(places(), {}));
    if (found === undefined) throw new Error("not found");
    expect(found).toMatchObject({ sessionId: "x", location: path, archived: false, live: null });
    const row = await piFormat.skim(found, { part: "whole" });
    expect(row.problems.map(({ code }) => code)).toEqual(["empty"]);
  });
});

describe("finding by cwd", () => {
  test("lists sessions in the folder of the cwd, except for those whose header names another cwd", async () => {
    const folder = join(home, ".pi/agent/sessions", folderNameOf("/a/b"));
    write(folder, nameOf("one"), { cwd: "/a/b" });
    write(folder, nameOf("two"), { cwd: "/a-b" });
    write(folder, nameOf("three"));
    write(join(home, ".pi/agent/sessions/--other--"), nameOf("four"), { cwd: "/a/b" });
    expect(await idsFound(places(), "/a/b")).toEqual(["one", "three"]);
    expect(await idsFound(places(), "/a-b")).toEqual(["three", "two"]);
  });

  test("lists the sessions of the cwd in a folder of all sessions", async () => {
    write(join(home, "all"), nameOf("one"), { cwd: "/a/b" });
    write(join(home, "all"), nameOf("two"), { cwd: "/c" });
    write(join(home, "all"), nameOf("three"));
    expect(await idsFound(places({ PI_CODING_AGENT_SESSION_DIR: join(home, "all") }), "/a/b")).toEqual([
      "one",
    ]);
  });

  test("recognises a folder by its name and by the name of a symbolic link to it", async () => {
    const [real, link] = [join(home, "real"), join(home, "link")];
    mkdirSync(real);
    symlinkSync(real, link);
    const sessions = join(home, ".pi/agent/sessions");
    write(join(sessions, folderNameOf(real)), nameOf("real"), { cwd: real });
    write(join(sessions, folderNameOf(link)), nameOf("link"), { cwd: link });
    expect(await idsFound(places(), link)).toEqual(["link", "real"]);
    expect(await idsFound(places(), `${real}/`)).toEqual(["real"]);
  });
});

describe("recognising a file", () => {
  test.each([
    ["a header", { type: "session", id: "x", cwd: "/a" }, "x"],
    [
      "an entry, when the header is lost",
      { type: "message", id: "a", parentId: null, timestamp: "2026-05-06T07:00:00Z" },
      "s",
    ],
  ])("by %s", async (_name, record, sessionId) => {
    const path = join(home, "s.jsonl");
    writeFileSync(path, `${JSON.stringify(record)}\n`);
    expect(await piFormat.recognise(path, places())).toMatchObject({
      agent: "pi",
      sessionId,
      location: path,
    });
  });

  test.each([
    ["another agent's line", { type: "user", uuid: "x", parentUuid: null, sessionId: "s" }],
    ["another agent's header", { type: "session_meta", payload: { id: "x" } }],
    ["a session of something else", { type: "session", id: "x" }],
  ])("not by %s", async (_name, record) => {
    const path = join(home, "s.jsonl");
    writeFileSync(path, `${JSON.stringify(record)}\n`);
    expect(await piFormat.recognise(path, places())).toBe(null);
  });

  test("not if there is none", async () => {
    expect(await piFormat.recognise(join(home, "gone.jsonl"), places())).toBe(null);
    expect(await piFormat.recognise(home, places())).toBe(null);
  });
});
