import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { AgentName, Message, SessionInfo } from "@continuo/core/model";
import type { Json, Places } from "@continuo/files";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { copyHome } from "../../../../test/fixture-home.ts";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import {
  checkNativeSession,
  formatOf,
  listNativeSessions,
  openNativeSession,
  readNativeSession,
} from "../native/index.ts";
import { type RepairDraft, remove } from "../native/repairing/index.ts";
import { restoreNativeSession } from "./delete.ts";
import { forkNativeSession } from "./fork.ts";
import { repairNativeSession } from "./repair.ts";

let scratch: string;
let places: Places;
beforeEach(() => {
  scratch = scratchFolder("repair-test");
});

async function open(agent: AgentName, name: string): Promise<readonly SessionInfo[]> {
  const copied = await copyHome(scratch, [agent, name]);
  places = copied.places;
  return copied.sessions.filter(({ location }) => !location.endsWith(".zst"));
}

async function openFirst(agent: AgentName, name: string): Promise<SessionInfo> {
  const [info] = await open(agent, name);
  if (info === undefined) throw new Error("no session");
  return info;
}

type Lines = readonly string[];
/** Changes the lines of a session; `at` finds the line of a record. */
type Damage = (lines: Lines, at: (part: string) => number) => Lines;
const cut: (at: number, length: number) => Damage = (at, length) => (lines) =>
  lines.map((line, index) => (index === (at + lines.length) % lines.length ? line.slice(0, length) : line));
const without: (part: string) => Damage = (part) => (lines) => lines.filter((line) => !line.includes(part));
const edited: (part: string, edit: (record: Json) => Json) => Damage = (part, edit) => (lines, at) =>
  lines.map((line, index) => (index === at(part) ? JSON.stringify(edit(JSON.parse(line))) : line));
const payload =
  (change: Json) =>
  (record: Json): Json => ({
    ...record,
    payload: { ...(record.payload as Json), ...change },
  });
const lacking =
  (key: string) =>
  (record: Json): Json =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));

interface DamageCase {
  readonly of: readonly [AgentName, string];
  readonly what: string;
  readonly damage: Damage;
  /** The kind of each edit, and its reason. */
  readonly edits: readonly (readonly ["removed" | "added" | "changed", RegExp])[];
}

const REPAIRS: readonly DamageCase[] = [
  {
    of: ["claude", "parallel-tools"],
    what: "the last line is torn",
    damage: cut(-2, 40),
    edits: [["removed", /not JSON/]],
  },
  {
    of: ["claude", "parallel-tools"],
    what: "an answer is gone",
    damage: (lines, at) => lines.filter((_, index) => index !== at('"type":"thinking"')),
    edits: [["changed", /parent is not in the file/]],
  },
  {
    of: ["claude", "parallel-tools"],
    what: "the results of two calls are gone",
    damage: (lines) => lines.filter((line) => !line.includes('"tool_result"') || line.includes("is_error")),
    edits: [
      ["added", /has no result/],
      ["added", /has no result/],
    ],
  },
  {
    of: ["claude", "parallel-tools"],
    what: "the only result of an answer is gone",
    damage: (lines, at) => lines.filter((_, index) => index !== at('"content":"1\\timport { TEAS }')),
    edits: [
      ["added", /has no result/],
      ["changed", /the result before it is new/],
    ],
  },
  {
    of: ["claude", "text-and-thinking"],
    what: "a line has no uuid and no parent",
    damage: edited('"type":"user"', (record) => lacking("uuid")(lacking("parentUuid")(record))),
    edits: [
      ["changed", /no parent; it has no id/],
      ["changed", /parent is not in the file/],
    ],
  },
  {
    of: ["codex", "legacy"],
    what: "the interface's events are gone",
    damage: (lines) =>
      lines.filter((line) => !/"type":"(user_message|agent_message|agent_reasoning)"/u.test(line)),
    edits: [["added", /interface was not told/]],
  },
  {
    of: ["codex", "legacy"],
    what: "every event is gone",
    damage: without('"type":"event_msg"'),
    edits: [["added", /turn has no beginning/]],
  },
  {
    of: ["codex", "legacy"],
    what: "the header is gone",
    damage: (lines) => lines.slice(1),
    edits: [["added", /header is missing/]],
  },
  {
    of: ["codex", "legacy"],
    what: "an answer has its text as a string",
    damage: edited('"role":"assistant"', payload({ content: "Black tea now steeps for 240 seconds." })),
    edits: [["changed", /no list/]],
  },
  {
    of: ["codex", "paginated"],
    what: "an old Codex wrote lines without ordinals",
    damage: (lines) => lines.map((line, at) => (at > 30 ? line.replace(/"ordinal":\d+,/u, "") : line)),
    edits: [["changed", /no ordinal/]],
  },
  {
    of: ["codex", "paginated"],
    what: "the output of a call is gone",
    damage: (lines, at) => lines.filter((_, index) => index !== at('"type":"function_call_output"')),
    edits: [["added", /has no output/]],
  },
  {
    of: ["codex", "paginated"],
    what: "a call is gone",
    damage: (lines, at) => lines.filter((_, index) => index !== at('"type":"function_call","')),
    edits: [["removed", /no call has the id/]],
  },
  {
    of: ["claude", "parallel-tools"],
    what: "the answer with the first call is gone",
    damage: without('"id":"toolu_'),
    edits: [["removed", /no call has the id/]],
  },
  {
    of: ["pi", "parallel-tools"],
    what: "an entry in the middle is not JSON",
    damage: cut(5, 30),
    edits: [["removed", /not JSON/]],
  },
  {
    of: ["pi", "parallel-tools"],
    what: "a result is gone",
    damage: (lines, at) => lines.filter((_, index) => index !== at('"role":"toolResult"')),
    edits: [["added", /has no result/]],
  },
  {
    of: ["pi", "parallel-tools"],
    what: "a call has lost its id",
    damage: (lines, at) =>
      lines.with(
        at('"type":"toolCall"'),
        (lines[at('"type":"toolCall"')] ?? "").replace(/("type":"toolCall","id":)"[^"]*"/u, "$1{}"),
      ),
    edits: [["changed", /has lost its id/]],
  },
  {
    of: ["gemini", "parallel-tools"],
    what: "the first line, which names the session, is gone",
    damage: (lines) => lines.slice(1),
    edits: [["added", /no record names the session/]],
  },
  {
    of: ["gemini", "text-and-thinking"],
    what: "a rewind leads nowhere",
    damage: (lines) => [...lines.slice(0, -1), '{"$rewindTo":"gone"}', ""],
    edits: [["removed", /rewinds to a message that is not there/]],
  },
  {
    of: ["gemini", "image"],
    what: "the id of a message is no text",
    damage: (lines) => lines.map((line) => line.replace(/^\{"id":"6a538d58[^"]*"/u, '{"id":7')),
    edits: [["changed", /has no id/]],
  },
  {
    of: ["gemini", "line-separator"],
    what: "a separator stands raw in a line",
    damage: (lines) => lines,
    edits: [["changed", /splits the line/]],
  },
];

describe.each(REPAIRS)("$of: $what", ({ of: [agent, name], damage, edits }) => {
  async function damaged(): Promise<SessionInfo> {
    const info = await openFirst(agent, name);
    const lines = readFileSync(info.location, "utf8").split("\n");
    const at = (part: string): number => lines.findIndex((line) => line.includes(part));
    writeFileSync(info.location, damage(lines, at).join("\n"));
    return info;
  }

  test("is shown without a write, and repaired in a copy that needs no repair", async () => {
    const { location } = await damaged();
    const before = [readFileSync(location), statSync(location).mtimeMs];
    const shown = await repairNativeSession(location, { places });
    expect(shown).toMatchObject({ written: null, trashId: null });
    const lost = shown.edits.flatMap(({ reason }) => /no call has the id ([^;]*)/u.exec(reason)?.[1] ?? []);
    expect(shown.droppedResults).toBe(lost.flatMap((ids) => ids.split(", ")).length);
    for (const [type, reason] of edits) {
      expect(shown.edits).toContainEqual(
        expect.objectContaining({ type, reason: expect.stringMatching(reason) }),
      );
    }
    const file = join(scratch, "copies", "sessions", "x", location.split("/").at(-1) ?? "");
    const copy = await repairNativeSession(location, { places, write: { file } });
    expect(copy).toMatchObject({ written: file, trashId: null });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await repairNativeSession(file, { places })).edits).toEqual([]);
    const damage = (await checkNativeSession(file, { places })).problems.filter(
      ({ code }) => !BESIDE.has(code),
    );
    expect(damage).toEqual([]);
    const untouched = readFileSync(location, "utf8").split("\n");
    const kept = new Set(readFileSync(file, "utf8").split("\n"));
    const gone = untouched.filter((line) => line.trim() !== "" && !kept.has(line));
    expect(gone).toEqual(copy.edits.flatMap(({ before }) => before ?? []));
    expect([readFileSync(location), statSync(location).mtimeMs]).toEqual(before);
    await expect(repairNativeSession(location, { places, write: { file } })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  test("is repaired in place, and comes back from the trash byte for byte", async () => {
    const { location } = await damaged();
    const before = [readFileSync(location), statSync(location).mtimeMs];
    const repair = await repairNativeSession(location, { places, write: "in place" });
    expect(repair).toMatchObject({ written: location, trashId: expect.any(String) });
    expect((await repairNativeSession(location, { places, write: "in place" })).edits).toEqual([]);
    const { messages } = await readNativeSession(location, { places });
    expect(messages.length).toBeGreaterThan(1);
    expect(readdirSync(join(location, "..")).filter((other) => other.includes("repaired"))).toEqual([]);
    await restoreNativeSession(repair.trashId ?? "", { places });
    expect([readFileSync(location), statSync(location).mtimeMs]).toEqual(before);
  });
});

/** Warnings, and the problems that damage in the middle of a file leaves. */
const BESIDE: ReadonlySet<string> = new Set([
  "expires_soon",
  "deleted_on_start",
  "lost_on_resume",
  "bad_order",
]);

test("a repaired session that has continued is not replaced by its old state", async () => {
  const { location, sessionId } = await openFirst("claude", "killed");
  await repairNativeSession(location, { places, write: "in place" });
  writeFileSync(location, `${readFileSync(location, "utf8")}{"type":"mode","mode":"normal"}\n`);
  await expect(restoreNativeSession(sessionId, { places })).rejects.toMatchObject({ code: "conflict" });
});

test("a repair that would lose messages is refused, and nothing is written", async () => {
  const { location } = await openFirst("claude", "parallel-tools");
  const before = readFileSync(location);
  const { of, repairer } = await (await formatOf("claude")).repairer();
  if (of === "rows") throw new Error("claude keeps files of lines");
  const spy = vi.spyOn(repairer, "mend").mockImplementation((draft: RepairDraft) => {
    for (const line of draft.lines) if (line.before?.includes("differ")) remove(line, "for a test");
    for (const line of draft.lines) if (line.before?.includes("Compare")) remove(line, "for a test");
  });
  try {
    const repair = repairNativeSession(location, { places, write: "in place" });
    await expect(repair).rejects.toMatchObject({ code: "verification_failed" });
  } finally {
    spy.mockRestore();
  }
  expect(readFileSync(location)).toEqual(before);
  expect(existsSync(join(scratch, ".continuo"))).toBe(false);
});

test("a session of Codex that a fork reads is not repaired in place", async () => {
  const infos = await open("codex", "fork");
  const codes: string[] = [];
  for (const { location } of infos) {
    writeFileSync(location, `${readFileSync(location, "utf8")}{"torn`);
    const repair = repairNativeSession(location, { places, write: "in place" });
    codes.push(
      await repair.then(
        () => "repaired",
        (error: { code: string }) => error.code,
      ),
    );
  }
  expect(codes.sort()).toEqual(["has_forks", "has_forks", "repaired"].sort());
});

test("a file without a complete record and a compressed file are refused", async () => {
  const { location } = await openFirst("claude", "killed");
  writeFileSync(location, '{"torn');
  await expect(repairNativeSession(location, { places })).rejects.toMatchObject({ code: "invalid" });
  await open("codex", "compressed");
  const zst = (await listNativeSessions({ agents: ["codex"], places })).find((info) =>
    info.location.endsWith(".zst"),
  );
  await expect(repairNativeSession(zst ?? "", { places })).rejects.toMatchObject({ code: "unsupported" });
});

test("bytes that other programs changed are repaired: a byte order mark, mixed line ends, invalid UTF-8", async () => {
  const { location } = await openFirst("pi", "text-and-thinking");
  const [first = "", second = "", ...rest] = readFileSync(location, "utf8").split("\n");
  const bad = Buffer.concat([
    Buffer.from(`\ufeff${first}\r\n${second.slice(0, -2)}`),
    Buffer.from([0xff]),
    Buffer.from(`${second.slice(-2)}\n${rest.join("\n")}`),
  ]);
  writeFileSync(location, bad);
  const { edits } = await repairNativeSession(location, { places, write: "in place" });
  expect(edits.map(({ line, reason }) => [line, reason])).toEqual([
    [1, "it ends in CR LF, as other lines do not; a byte order mark stood before it"],
    [2, expect.stringMatching(/JSON|UTF-8/u)],
    ...edits.slice(2).map(({ line, reason }) => [line, reason]),
  ]);
  expect((await checkNativeSession(location, { places })).problems).toEqual([]);
});

describe("opencode", () => {
  test("an unfinished call of an ended agent becomes an error, and a restoration undoes it", async () => {
    const info = await openFirst("opencode", "killed");
    const before = await readNativeSession(info, { places });
    expect(await repairNativeSession(info, { places })).toMatchObject({
      edits: [{ type: "changed", line: null, row: expect.stringMatching(/^prt_/u) }],
      written: null,
    });
    const repair = await repairNativeSession(info, { places, write: "in place" });
    expect(repair.written).toBe(info.location.replace(/#.*/u, ""));
    const after = await readNativeSession(info, { places });
    expect(after.problems).toEqual([]);
    expect(after.messages.find(({ role }) => role === "tool")?.content).toMatchObject([{ isError: true }]);
    expect((await repairNativeSession(info, { places })).edits).toEqual([]);
    await restoreNativeSession(info.sessionId, { places });
    expect(await readNativeSession(info, { places })).toEqual(before);
  });

  test("parts without a message, or without valid JSON, are removed", async () => {
    const info = await openFirst("opencode", "text-and-thinking");
    const database = new DatabaseSync(info.location.replace(/#.*/u, ""));
    database.exec("pragma foreign_keys = off");
    const copy =
      "insert into part select 'prt_zzz', 'msg_gone', session_id, time_created, time_updated, data from part limit 1";
    database.exec(copy);
    database.exec("update part set data = '{torn' where id = (select min(id) from part)");
    database.close();
    const { edits } = await repairNativeSession(info, { places, write: "in place" });
    expect(edits.map(({ type, reason }) => `${type}: ${reason}`).sort()).toEqual([
      "removed: its data is no JSON object",
      "removed: its message is gone",
    ]);
    expect((await checkNativeSession(info, { places })).problems).toEqual([]);
  });

  test("a message without valid JSON is rebuilt from its parts, and a restoration undoes it", async () => {
    const info = await openFirst("opencode", "text-and-thinking");
    const database = new DatabaseSync(info.location.replace(/#.*/u, ""));
    database.exec("update message set data = '{torn' where id = (select max(id) from message)");
    database.close();
    const before = await readNativeSession(info, { places });
    const { edits } = await repairNativeSession(info, { places, write: "in place" });
    expect(edits.map(({ type, reason }) => `${type}: ${reason}`)).toEqual([
      "changed: the message lacks its data",
    ]);
    expect((await readNativeSession(info, { places })).messages.at(-1)?.role).toBe("assistant");
    expect((await checkNativeSession(info, { places })).problems).toEqual([]);
    await restoreNativeSession(info.sessionId, { places });
    expect(await readNativeSession(info, { places })).toEqual(before);
  });

  test("the repaired copy is an export with new ids", async () => {
    const info = await openFirst("opencode", "killed");
    const before = await readNativeSession(info, { places });
    const file = join(scratch, "copy.json");
    expect(await repairNativeSession(info, { places, write: { file } })).toMatchObject({
      edits: [{ type: "changed" }],
      written: file,
      trashId: null,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await readNativeSession(info, { places })).toEqual(before);
    const copy = await readNativeSession(file, { places });
    expect(copy.problems).toEqual([]);
    using opened = await openNativeSession(file, { places });
    expect(opened.details).toMatchObject({ title: info.title, cwd: info.cwd });
    const ids = new Set(before.messages.map(({ id }) => id));
    expect(copy.messages.filter(({ id }) => ids.has(id))).toEqual([]);
    expect(copy.sessionId).not.toBe(info.sessionId);
    const results = copy.messages.filter(({ role }) => role === "tool");
    expect(results.map(({ content }) => content)).toMatchObject([[{ isError: true }]]);
    expect(copy.messages.filter(({ role }) => role !== "tool").map(textsOf)).toEqual(
      before.messages.map(textsOf),
    );
    expect((await repairNativeSession(file, { places })).edits).toEqual([]);
    const again = repairNativeSession(info, { places, write: { file } });
    await expect(again).rejects.toMatchObject({ code: "conflict" });
  });

  test("a damaged export is repaired as a copy, and not in place", async () => {
    const info = await openFirst("opencode", "killed");
    const file = join(scratch, "export.json");
    const sound = join(scratch, "sound.json");
    await repairNativeSession(info, { places, write: { file: sound } });
    const exported = JSON.parse(readFileSync(sound, "utf8"));
    const [first] = exported.messages;
    exported.messages.push(7, { ...first, parts: [] });
    exported.messages[1].parts.find((part: Json) => part.type === "tool").state = { status: "running" };
    writeFileSync(file, JSON.stringify(exported));
    const inPlace = repairNativeSession(file, { places, write: "in place" });
    await expect(inPlace).rejects.toMatchObject({ code: "unsupported" });
    const copy = join(scratch, "copy.json");
    const { edits } = await repairNativeSession(file, { places, write: { file: copy } });
    expect(edits.map(({ reason }) => reason)).toEqual([
      "the call has no result",
      "it is no message",
      "its id occurs twice",
    ]);
    expect((await readNativeSession(copy, { places })).problems).toEqual([]);
  });
});

const textsOf = ({ content }: Message): unknown[] =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : []));

test("a fork of a repaired session has the same content", async () => {
  const info = await openFirst("claude", "killed");
  await repairNativeSession(info, { places, write: "in place" });
  const { sessionId } = await forkNativeSession(info, { places });
  expect((await readNativeSession(`claude:${sessionId}`, { places })).problems).toEqual([]);
});
