import { mkdirSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { AgentName, SessionInfo } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { copyHome } from "../../../../test/fixture-home.ts";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { checkNativeSession, listNativeSessions, readNativeSession } from "../native/index.ts";
import { repairNativeSession } from "./repair.ts";

let scratch: string;
let places: Places;
beforeEach(() => {
  scratch = scratchFolder("repair-test");
});

type Lines = readonly string[];

async function damaged(
  agent: AgentName,
  name: string,
  damage: (lines: Lines) => Lines,
): Promise<SessionInfo> {
  const copied = await copyHome(scratch, [agent, name]);
  places = copied.places;
  const [info] = copied.sessions;
  if (info === undefined) throw new Error("no session");
  if (agent !== "opencode") write(info.location, damage(linesOf(info.location)));
  return info;
}

const linesOf = (path: string): Lines => readFileSync(path, "utf8").trimEnd().split("\n");
const write = (path: string, lines: Lines): void =>
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
const headerLast = ([header = "", ...rest]: Lines): Lines => [...rest, header];
const headerThird = ([header = "", one = "", two = "", ...rest]: Lines): Lines => [one, two, header, ...rest];

describe.each([
  ["pi", "text-and-thinking"],
  ["pi", "parallel-tools"],
  ["codex", "legacy"],
  ["codex", "paginated"],
] as const)(
  "%s/%s: a header in another place becomes the first record again, and nothing else changes",
  (agent, name) => {
    test.each([
      ["last", headerLast],
      ["third", headerThird],
    ])("%s", async (_where, move) => {
      const { location } = await damaged(agent, name, (lines) => lines);
      const sound = linesOf(location);
      write(location, move(sound));
      const { edits, remaining } = await repairNativeSession(location, { places, write: "in place" });
      expect(edits.map(({ type, reason }) => [type, reason])).toEqual([
        ["added", "the header is not the first record"],
        ["removed", "the header is not the first record"],
      ]);
      expect(remaining).toEqual([]);
      expect(linesOf(location)).toEqual(sound);
    });
  },
);

describe("a pi header that is lost", () => {
  const withoutHeader = (lines: Lines): Lines => lines.slice(1);

  test("is made from the name of the file and of the folder, in which the session was had", async () => {
    const cwd = join(scratch, "a-project", "in.it");
    mkdirSync(cwd, { recursive: true });
    const { location, sessionId } = await damaged("pi", "text-and-thinking", withoutHeader);
    const moved = intoFolderOf(location, cwd);
    const { remaining } = await repairNativeSession(moved, { places, write: "in place" });
    expect(remaining).toEqual([]);
    expect(JSON.parse(linesOf(moved)[0] ?? "")).toMatchObject({
      type: "session",
      version: 3,
      id: sessionId,
      cwd,
    });
  });

  test("that names a folder which is not there names the one in whose place the file lies", async () => {
    const cwd = join(scratch, "a-project", "in.it");
    mkdirSync(cwd, { recursive: true });
    const { location } = await damaged("pi", "text-and-thinking", ([header = "", ...rest]) => [
      JSON.stringify({ ...JSON.parse(header), cwd: `${cwd}x` }),
      ...rest,
    ]);
    const moved = intoFolderOf(location, cwd);
    await repairNativeSession(moved, { places, write: "in place" });
    expect(JSON.parse(linesOf(moved)[0] ?? "")).toMatchObject({ cwd });
  });

  test("is made from the sessions next to it", async () => {
    const { location } = await damaged("pi", "text-and-thinking", withoutHeader);
    const moved = intoFolderOf(location, "/gone-now/it-is");
    const beside = { type: "session", version: 3, id: "other", cwd: "/gone-now/it-is" };
    write(join(dirname(moved), "other.jsonl"), [JSON.stringify(beside)]);
    await repairNativeSession(moved, { places, write: "in place" });
    expect(JSON.parse(linesOf(moved)[0] ?? "")).toMatchObject({ cwd: "/gone-now/it-is" });
  });

  test("stays lost if two folders have that name, and remains as damage", async () => {
    for (const folder of ["a-b", "a/b"]) mkdirSync(join(scratch, folder), { recursive: true });
    const { location } = await damaged("pi", "text-and-thinking", withoutHeader);
    const moved = intoFolderOf(location, join(scratch, "a-b"));
    const { edits, remaining } = await repairNativeSession(moved, { places });
    expect(edits).not.toContainEqual(expect.objectContaining({ reason: "the header is missing" }));
    expect(remaining.map(({ code }) => code)).toContain("missing_header");
  });

  function intoFolderOf(location: string, cwd: string): string {
    const folder = join(dirname(location), "..", `--${cwd.slice(1).replaceAll("/", "-")}--`);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, basename(location));
    renameSync(location, path);
    return path;
  }
});

test("damage that no repair solves is reported as remaining, before and after the write", async () => {
  const { location } = await damaged("codex", "legacy", (lines) => {
    const said = lines.filter((line) => line.includes('"type":"message"')).at(-1) ?? "";
    const twice = JSON.stringify({ ...JSON.parse(said), timestamp: "2026-01-01T00:00:00.000Z" });
    return [...lines, twice, '{"torn'];
  });
  const expected = [expect.objectContaining({ code: "duplicate_id" })];
  const shown = await repairNativeSession(location, { places });
  expect(shown.remaining).toEqual(expected);
  const written = await repairNativeSession(location, { places, write: "in place" });
  expect(written.remaining).toEqual(expected);
  expect((await repairNativeSession(location, { places })).remaining).toEqual(expected);
  expect((await checkNativeSession(location, { places })).problems).toEqual(expected);
});

test("a Gemini session with only a header is also empty after the repair", async () => {
  const { location } = await damaged("gemini", "text-and-thinking", ([header = ""]) => [header, '{"torn']);
  const { edits, remaining } = await repairNativeSession(location, { places, write: "in place" });
  expect(edits).toHaveLength(1);
  expect(remaining.map(({ code }) => code)).toEqual(["empty"]);
  expect((await readNativeSession(location, { places })).messages).toEqual([]);
});

test("numbers in a changed line are written as they were", async () => {
  const { location } = await damaged("pi", "text-and-thinking", (lines) =>
    lines.map((line, at) =>
      at === 2
        ? line.replace(/"parentId":"[^"]*"/u, '"parentId":"lost","big":[9007199254740993,12.0],"e":1e3')
        : line,
    ),
  );
  const { edits } = await repairNativeSession(location, { places, write: "in place" });
  expect(edits.map(({ type }) => type)).toEqual(["changed"]);
  expect(linesOf(location)[2]).toContain('"big":[9007199254740993,12.0],"e":1e3');
});

describe("a database of opencode that is cut off", () => {
  async function cut(): Promise<SessionInfo> {
    const { location } = await damaged("opencode", "parallel-tools", (lines) => lines);
    const database = location.replace(/#.*/u, "");
    truncateSync(database, Math.floor(statSync(database).size * 0.9));
    const [info] = await listNativeSessions({ agents: ["opencode"], places });
    if (info === undefined) throw new Error("no session");
    return info;
  }

  test("is listed and shown as far as it can be read, and says so", async () => {
    const info = await cut();
    expect(info.problems.map(({ code }) => code)).toEqual(["damaged_database"]);
    const { messages, problems } = await readNativeSession(`opencode:${info.sessionId}`, { places });
    expect(messages.length).toBeGreaterThan(1);
    expect(problems).toContainEqual(expect.objectContaining({ code: "damaged_database" }));
  });

  test("is repaired as a file that opencode imports, and not in place", async () => {
    const info = await cut();
    const before = readFileSync(info.location.replace(/#.*/u, ""));
    const inPlace = repairNativeSession(info, { places, write: "in place" });
    await expect(inPlace).rejects.toMatchObject({
      code: "unsupported",
      hint: expect.stringContaining("--output"),
    });
    const file = join(scratch, "copy.json");
    const { written, remaining } = await repairNativeSession(info, { places, write: { file } });
    expect({ written, remaining }).toEqual({ written: file, remaining: [] });
    const said = async (ref: SessionInfo | string) =>
      (await readNativeSession(ref, { places })).messages
        .filter(({ role }) => role !== "tool")
        .flatMap(({ content }) => content.flatMap((block) => (block.type === "text" ? [block.text] : [])));
    expect(await said(file)).toEqual(await said(info));
    expect(readFileSync(info.location.replace(/#.*/u, ""))).toEqual(before);
  });

  test("of which nothing can be read is named when a session is looked for", async () => {
    const { location } = await damaged("opencode", "parallel-tools", (lines) => lines);
    truncateSync(location.replace(/#.*/u, ""), 2000);
    await expect(readNativeSession("opencode:ses_any", { places })).rejects.toMatchObject({
      code: "not_found",
      hint: expect.stringContaining("opencode.db: the database is damaged"),
    });
  });
});
