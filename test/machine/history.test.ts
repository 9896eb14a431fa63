/** One session over HTTP: windows of its history, its outline, what it changed, and its growth. */

import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SessionFacts } from "@continuo/core/model";
import type {
  ChangesAnswer,
  FileChanges,
  GrowthEvent,
  HistoryWindow,
  MachineSession,
  Outline,
  SessionHead,
  SessionSearchResult,
  SessionsPage,
} from "@continuo/core/wire/machine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUDE_ID, CODEX_ID, claudeFile, claudeText } from "../cli/home.ts";
import { eventsOf, type OpenMachine, openMachine } from "./open-machine.ts";

const KEY = `/v1/machine/sessions/claude:${CLAUDE_ID}`;
const WORK_ID = "4bf3eeee-0000-4000-8000-00000000000b";
const WORK = `/v1/machine/sessions/claude:${WORK_ID}`;
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LONG = "0123456789".repeat(10_000);

let machine: OpenMachine;
beforeAll(async () => {
  machine = await openMachine();
  machine.home.write(claudeFile(WORK_ID), claudeText(WORK_ID, WORK_LINES));
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
});

type Lines = Parameters<typeof claudeText>[1];

function call(at: number, name: string, input: object, result: string, isError = false): Lines {
  const time = `12:00:${String(at).padStart(2, "0")}`;
  return [
    {
      uuid: `c${at}`,
      parent: at === 1 ? "p1" : `r${at - 1}`,
      role: "assistant",
      content: [{ type: "tool_use", id: `t${at}`, name, input }],
      time,
    },
    {
      uuid: `r${at}`,
      parent: `c${at}`,
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `t${at}`, is_error: isError, content: result }],
      time,
    },
  ];
}

const image = (media_type: string, data: string): object => ({
  type: "image",
  source: { type: "base64", media_type, data },
});

const WORK_LINES: Lines = [
  {
    uuid: "p1",
    parent: null,
    role: "user",
    content: [
      { type: "text", text: "Change <b>a.txt</b>" },
      image("image/png", PNG),
      image("image/svg+xml", "PHN2Zy8+"),
    ],
    time: "12:00:00",
  },
  ...call(1, "Edit", { file_path: "/w/a.txt", old_string: "one", new_string: "two" }, "done"),
  ...call(2, "Write", { file_path: "/w/b.txt", content: "new\nfile\n" }, "done"),
  ...call(3, "Edit", { file_path: "/w/a.txt", old_string: "x", new_string: "y" }, "not found", true),
  ...call(4, "Bash", { command: "git commit -m 'Change'" }, "[main 1a2b3c4] Change\n 1 file changed"),
  ...call(5, "Bash", { command: "cat log" }, LONG),
];

async function window(query = "", path = KEY): Promise<HistoryWindow> {
  return await machine.json(`${path}/history${query}`);
}

function idsOf({ messages }: HistoryWindow): readonly string[] {
  return messages.map(({ message }) => message.id);
}

test("a session opens at its end, and windows before each other make up all of it", async () => {
  const all = await window();
  expect(idsOf(all)).toEqual(["u1", "a1", "r1", "u2", "a3"]);
  expect(all).toMatchObject({ hasOlder: false, hasNewer: false, total: 5, turns: 2 });
  expect(all.messages.map(({ index, turn, turnId }) => [index, turn, turnId])).toEqual([
    [0, 1, "u1"],
    [1, 1, "u1"],
    [2, 1, "u1"],
    [3, 2, "u2"],
    [4, 2, "u2"],
  ]);
  const end = await window("?limit=2");
  expect([idsOf(end), end.hasOlder, end.hasNewer]).toEqual([["u2", "a3"], true, false]);
  const older = await window("?limit=2&before=u2");
  expect([idsOf(older), older.hasOlder, older.hasNewer]).toEqual([["a1", "r1"], true, true]);
  const newer = await window("?limit=2&after=u1");
  expect([idsOf(newer), newer.hasOlder, newer.hasNewer]).toEqual([["a1", "r1"], true, true]);
  expect(idsOf(await window("?around=turn:2&limit=4"))).toEqual(["r1", "u2", "a3"]);
  expect(idsOf(await window("?around=u2&limit=1"))).toEqual(["u2"]);
});

test("another branch and the model view are histories of their own", async () => {
  const { branches } = (await machine.json(KEY)) as SessionHead;
  const other = branches.find(({ active }) => !active);
  expect(idsOf(await window(`?branch=${other?.id}`))).toEqual(["u1", "a1", "r1", "a2"]);
  expect(idsOf(await window("?view=model"))).toEqual(["u1", "a1", "r1", "u2", "a3"]);
});

test("branches are listed with the place where they part", async () => {
  expect(await machine.json(`${KEY}/branches`)).toMatchObject({
    branches: [
      { id: "a3", active: true, messages: 5, parent: null, shared: 0, first: { messageId: "u1", turn: 1 } },
      { active: false, messages: 4, parent: "a3", shared: 3, first: { messageId: "a2", turn: 1 } },
    ],
    left: 0,
  });
});

test("the head has the facts of a full read", async () => {
  const head = (await machine.json(KEY)) as SessionHead;
  expect(head).toMatchObject({
    session: { key: `claude:${CLAUDE_ID}`, turns: 2, model: "model-a" },
    messages: { total: 5, user: 2, assistant: 2, tool: 1 },
    toolCalls: 1,
    problemCount: 0,
    subagents: [],
    parentKey: null,
  });
  expect(head.branches.length).toBe(2);
});

test("a session costs what all of its branches cost, in its head as in its row, and its outline says what the branch did", async () => {
  const of = ({ turns, tokens, costUsd }: MachineSession) => ({ turns, tokens, costUsd });
  const { session } = (await machine.json(KEY)) as SessionHead;
  expect(of(session)).toEqual({ turns: 2, tokens: 3060, costUsd: null });
  const { sessions } = (await machine.json("/v1/machine/sessions")) as SessionsPage;
  const row = sessions.find(({ key }) => key === session.key);
  expect(row && of(row)).toEqual(of(session));
  const spentBy = async (query: string) => ((await machine.json(`${KEY}/outline${query}`)) as Outline).spent;
  const { branches } = (await machine.json(KEY)) as SessionHead;
  expect(await spentBy("")).toEqual({ tokens: 2040, costUsd: null });
  expect(await spentBy(`?branch=${branches.find(({ active }) => !active)?.id}`)).toMatchObject({
    tokens: 2040,
  });
});

test("the facts say what was asked, changed and committed, and where it stopped, each with its turn", async () => {
  const facts = (await machine.json(`${WORK}/facts`)) as SessionFacts;
  const at = { turn: 1 };
  expect(facts).toMatchObject({
    turns: 1,
    asked: { ...at, messageId: "p1", text: "Change <b>a.txt</b>" },
    files: [
      { ...at, messageId: "c1", path: "/w/a.txt", added: 1, removed: 1, edits: 1, known: "all" },
      { ...at, messageId: "c2", path: "/w/b.txt", added: 2, removed: 0, edits: 1, known: "part" },
    ],
    commits: [{ ...at, messageId: "r4", hash: "1a2b3c4", branch: "main", subject: "Change" }],
    tests: [],
    end: { ...at, messageId: "r5", state: "calling", text: "" },
  });
  const refused = await machine.get(`${WORK}/facts?turn=1`);
  expect(refused.status).toBe(400);
});

test("a message has no bytes, no opaque values, and images as paths of this server", async () => {
  const [first] = (await window("", WORK)).messages;
  expect(first?.message.content).toEqual([
    { type: "text", text: "Change <b>a.txt</b>" },
    {
      type: "image",
      mimeType: "image/png",
      url: `${WORK.replace(":", "%3A")}/messages/p1/image?path=content%2F1`,
    },
    { type: "image", mimeType: "image/svg+xml" },
  ]);
  const shown = first?.message.content[1];
  const response = await machine.get(shown?.type === "image" ? (shown.url ?? "") : "");
  expect(Buffer.from(await response.arrayBuffer()).toString("base64")).toBe(PNG);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "image/png",
    "cache-control": "private, max-age=3600",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  });
  for (const path of ["content/2", "content/0", "content/9", "content", "__proto__", "content/__proto__"]) {
    const refused = await machine.get(`${WORK}/messages/p1/image?path=${encodeURIComponent(path)}`);
    expect([path, refused.status]).toEqual([path, 404]);
  }
});

test("a long text is cut, and the rest of it comes in pieces", async () => {
  const { messages } = await window("?limit=1", WORK);
  const [cut] = messages[0]?.cuts ?? [];
  expect(cut).toEqual({ path: "content/0/content/0/text", kept: 32_768, total: LONG.length });
  const rest = `${WORK}/messages/r5/text?path=${encodeURIComponent(cut?.path ?? "")}&from=${cut?.kept}`;
  expect(await machine.json(rest)).toEqual({
    text: LONG.slice(32_768),
    from: 32_768,
    total: LONG.length,
  });
  expect((await machine.get(rest.replace(/from=\d+/u, "from=100001"))).status).toBe(400);
  expect((await machine.get(rest.replace("content%2F0%2Fcontent", "metadata"))).status).toBe(404);
});

test("the outline names turns, files, errors and commits", async () => {
  const outline = (await machine.json(`${WORK}/outline`)) as Outline;
  expect(outline.turns).toMatchObject([
    { number: 1, id: "p1", index: 0, title: "Change <b>a.txt</b>", messages: 11, toolCalls: 5, errors: 1 },
  ]);
  expect(outline.marks).toMatchObject([
    { type: "error", messageId: "r3", turn: 1, text: "not found" },
    { type: "commit", messageId: "r4", turn: 1, text: "1a2b3c4 Change" },
  ]);
  expect(outline.files).toEqual([
    { path: "/w/a.txt", calls: 2, changes: 2, firstTurn: 1, lastTurn: 1 },
    { path: "/w/b.txt", calls: 1, changes: 1, firstTurn: 1, lastTurn: 1 },
  ]);
  const paged = (await machine.json(`${KEY}/outline?limit=1`)) as Outline;
  expect([paged.turns.map(({ id }) => id), paged.hasOlder, paged.total]).toEqual([["u2"], true, 2]);
  const older = (await machine.json(`${KEY}/outline?limit=1&before=2`)) as Outline;
  expect([older.turns.map(({ id }) => id), older.hasOlder]).toEqual([["u1"], false]);
});

test("what a session changed is one list of differences for each file", async () => {
  const answer = (await machine.json(`${WORK}/changes`)) as ChangesAnswer;
  expect(answer.files).toEqual([
    { path: "/w/a.txt", changes: 1, added: 1, removed: 1, firstTurn: 1, lastTurn: 1 },
    { path: "/w/b.txt", changes: 1, added: 2, removed: 0, firstTurn: 1, lastTurn: 1 },
  ]);
  const file = (await machine.json(`${WORK}/changes?path=/w/a.txt`)) as FileChanges;
  expect(file.changes).toMatchObject([
    { messageId: "c1", turn: 1, tool: "Edit", status: "done", lines: [{ sign: "-" }, { sign: "+" }] },
    { messageId: "c3", status: "failed" },
  ]);
  // There was only one change, so there is no net change to compute.
  expect(file.net).toBeNull();
  expect((await machine.get(`${WORK}/changes?path=/etc/passwd`)).status).toBe(404);
});

test("a search in a session finds the messages with all words, newest first, also in calls and results", async () => {
  const find = async (query: string): Promise<SessionSearchResult> =>
    await machine.json(`${WORK}/find?${query}`);
  const ids = ({ found }: SessionSearchResult): readonly string[] => found.map(({ messageId }) => messageId);
  const all = await find("words=edit%20A.TXT");
  expect(ids(all)).toEqual(["c3", "c1"]);
  expect(all.found[1]).toMatchObject({ turn: 1, excerpt: [{ text: "Edit", isMatch: true }] });
  expect(ids(await find("words=nothing-there"))).toEqual([]);
  const some = await find("words=edit%20nothing-there");
  expect([ids(some), some.match, all.match]).toEqual([["c3", "c1"], "word", "message"]);
  const first = await find("words=edit%20a.txt&limit=1");
  expect(ids(first)).toEqual(["c3"]);
  const rest = await find(`words=edit%20a.txt&limit=5&before=${first.next}`);
  expect([ids(rest), rest.next]).toEqual([["c1"], null]);
  expect((await machine.get(`${WORK}/find?words=%20`)).status).toBe(400);
});

test("a reader that follows a session gets each new message once, from the end of its window", async () => {
  await using own = await openMachine();
  const file = join(own.home.path, claudeFile(CLAUDE_ID));
  const { position } = (await own.json(`${KEY}/history`)) as HistoryWindow;
  const added = (uuid: string, parent: string): string =>
    claudeText(CLAUDE_ID, [{ uuid, parent, role: "user", content: `Say ${uuid}`, time: "13:00:00" }]);
  const events = eventsOf(await own.get(`${KEY}/events?after=${position}`));
  const next = async (): Promise<{ readonly id?: string; readonly event: GrowthEvent }> => {
    for (;;) {
      const { value } = await events.next();
      if (value === undefined) throw new Error("the stream ended");
      // The row changes together with its session, so its events are skipped.
      if (value.event === "session") continue;
      return { ...value, event: { type: value.event, ...(value.data as object) } as GrowthEvent };
    }
  };
  appendFileSync(file, added("n1", "a3"));
  const first = await next();
  expect(first.event).toMatchObject({
    type: "messages",
    messages: [{ message: { id: "n1" }, index: 5, turn: 3, turnId: "n1" }],
  });
  appendFileSync(file, added("n2", "n1"));
  expect((await next()).event).toMatchObject({ messages: [{ message: { id: "n2" }, index: 6 }] });
  // The person continues from an earlier place, so the history is another one.
  appendFileSync(file, added("n3", "u1"));
  const reset = await next();
  expect(reset.event).toMatchObject({ type: "reset" });
  expect(idsOf(await own.json(`${KEY}/history`))).toEqual(["u1", "n3"]);
  // A browser that reconnects with a position of the former history has to read again.
  const again = eventsOf(await own.get(`${KEY}/events?after=${first.id}`));
  expect((await again.next()).value).toMatchObject({ event: "reset" });
  // A browser that has already read the new history continues: it repeats the path, and names the last event.
  const headers = { authorization: `Bearer ${await own.token(["machine:read"])}` };
  const path = `${own.url}${KEY}/events?after=${first.id}`;
  const later = eventsOf(await fetch(path, { headers: { ...headers, "last-event-id": reset.id ?? "" } }));
  appendFileSync(file, added("n4", "n3"));
  expect((await later.next()).value).toMatchObject({
    event: "messages",
    data: { messages: [{ message: { id: "n4" } }] },
  });
});

test("the stream of a session has the events of its conversation on request", async () => {
  const events = eventsOf(await machine.get(`${KEY}/events?chat=include`));
  const names = new Set<string>();
  while (names.size < 2) names.add((await events.next()).value?.event ?? "");
  expect([...names].sort()).toEqual(["chat-state", "reset"]);
  const reader = await machine.token(["machine:read"]);
  for await (const { event, data } of eventsOf(await machine.get(`${KEY}/events?chat=include`, reader))) {
    if (event !== "chat-state") continue;
    expect(data).toMatchObject({ state: { readOnly: "This page may only read." } });
    break;
  }
});

test("a session that is deleted while somebody follows it is gone", async () => {
  await using own = await openMachine();
  const { position } = (await own.json(`${KEY}/history`)) as HistoryWindow;
  const events = eventsOf(await own.get(`${KEY}/events?after=${position}`));
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { event } of events) seen.push(event);
  })();
  rmSync(join(own.home.path, claudeFile(CLAUDE_ID)));
  await reading;
  expect(seen.at(-1)).toBe("gone");
});

test.each([
  ["/history?before=nobody", 404],
  ["/history?around=turn:99", 404],
  ["/history?branch=nobody", 404],
  ["/history?limit=501", 400],
  ["/history?view=all", 400],
  ["/history?path=/etc/passwd", 400],
  [`/history?before=${"x".repeat(1_001)}`, 400],
  ["/outline?before=-1", 400],
  ["/messages/u1/text?path=content/0/text", 400],
  ["/nothing", 404],
  ["?view=model", 400],
])("%s is refused with %i", async (path, status) => {
  expect((await machine.get(`${KEY}${path}`)).status).toBe(status);
});

test.each([
  "../../../etc/passwd",
  "/etc/passwd",
  "claude:..",
  `claude:${CLAUDE_ID}>nobody`,
  "last",
  CLAUDE_ID,
  `${claudeFile(CLAUDE_ID)}`,
  "__proto__",
])("the key %s names no session", async (key) => {
  const response = await machine.get(`/v1/machine/sessions/${encodeURIComponent(key)}/history`);
  expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
    404,
    "not_found",
  ]);
});

test("a session is only shown to a token with machine:read", async () => {
  const token = await machine.token(["machine:write", "admin"]);
  for (const path of [
    "",
    "/history",
    "/outline",
    "/changes",
    "/events",
    "/messages/p1/image?path=content/1",
  ]) {
    expect((await machine.get(`${WORK}${path}`, token)).status).toBe(403);
  }
});

test("sessions of Codex are read in windows too", async () => {
  const { messages, total } = await window("", `/v1/machine/sessions/codex:${CODEX_ID}`);
  expect([messages.length, total]).toEqual([2, 2]);
  expect(messages[0]?.message).toMatchObject({ role: "user", content: [{ text: "Hello Codex" }] });
});

/** These lines are more than the part of the end that is read first. */
const LONG_LINES: Lines = Array.from({ length: 400 }, (_, at) => ({
  uuid: `l${at}`,
  parent: at === 0 ? null : `l${at - 1}`,
  role: at % 4 === 0 ? ("user" as const) : ("assistant" as const),
  content: at % 4 === 0 ? `Question ${at}` : [{ type: "text", text: "word ".repeat(1_000) }],
  time: "12:00:00",
}));

test("the end of a long session is answered before the rest was read, as it is at each moment", async () => {
  await using own = await openMachine();
  const file = claudeFile(WORK_ID);
  own.home.write(file, claudeText(WORK_ID, LONG_LINES));
  const end = (await own.json(`${WORK}/history?limit=5`)) as HistoryWindow;
  expect(idsOf(end)).toEqual(["l395", "l396", "l397", "l398", "l399"]);
  expect(end).toMatchObject({ hasOlder: true, total: null, turns: null, position: null });
  expect(end.messages.map(({ turnId, turn, index }) => [turnId, turn, index])[1]).toEqual([
    "l396",
    null,
    null,
  ]);
  const older = (await own.json(`${WORK}/history?limit=2&before=l395`)) as HistoryWindow;
  expect([idsOf(older), older.hasNewer, older.total]).toEqual([["l393", "l394"], true, null]);
  const added = { uuid: "n1", parent: "l399", role: "user", content: "More", time: "13:00:00" } as const;
  appendFileSync(join(own.home.path, file), claudeText(WORK_ID, [added]));
  expect(idsOf(await own.json(`${WORK}/history?limit=1`))).toEqual(["n1"]);
  // The answer is not in the end that was read first, so it comes from the whole session.
  const first = (await own.json(`${WORK}/history?around=turn:1&limit=2`)) as HistoryWindow;
  expect([idsOf(first), first.total, first.turns]).toEqual([["l0", "l1"], 401, 101]);
  const now = (await own.json(`${WORK}/history?limit=2`)) as HistoryWindow;
  expect(now.messages.map(({ message, turn }) => [message.id, turn])).toEqual([
    ["l399", 100],
    ["n1", 101],
  ]);
});

test("earlier parts of a long session are answered before all of it was read", async () => {
  await using own = await openMachine();
  own.home.write(claudeFile(WORK_ID), claudeText(WORK_ID, LONG_LINES));
  let page = (await own.json(`${WORK}/history`)) as HistoryWindow;
  const ids = [...idsOf(page)];
  while (ids.length < 150) {
    page = (await own.json(`${WORK}/history?limit=10&before=${ids[0]}`)) as HistoryWindow;
    expect([ids[0], page.total, page.hasOlder]).toEqual([ids[0], null, true]);
    ids.unshift(...idsOf(page));
  }
  expect(ids).toEqual(LONG_LINES.slice(-ids.length).map(({ uuid }) => uuid));
});

test("a reader that follows a session without a position is asked to read again when all was read", async () => {
  const response = await machine.get(`${KEY}/events`);
  expect((await eventsOf(response).next()).value).toMatchObject({ event: "reset" });
});
