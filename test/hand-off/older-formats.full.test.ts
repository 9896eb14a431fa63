/**
 * Round trips of sessions that current agents do not write, and of data after the end of a session: older files of
 * Gemini CLI and pi, exports of opencode, reverts that can be undone, raw line separators.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openNativeSession } from "@continuo/agents";
import type { AgentName, Entry, Message } from "@continuo/core/model";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answer, FIRST_MS, insertSession, STEP, text, toolPart, user } from "../formats/opencode/sessions.ts";
import { type Home, openHome, saidOf, withoutNames, wordsOf } from "./homes.ts";

let at: Home;
beforeEach(() => {
  at = openHome();
});
afterEach(() => at[Symbol.dispose]());

interface Session {
  readonly entries: readonly Entry[];
  readonly history: readonly Message[];
  readonly codes: readonly string[];
}

async function readAt(location: string): Promise<Session> {
  using session = await openNativeSession(location, { places: at.places });
  const entries = await Array.fromAsync(session.entries());
  const history = await Array.fromAsync(session.history());
  return { entries, history, codes: session.problems.map(({ code }) => code) };
}

function plain({ history }: Session): unknown[] {
  return history.map(({ role, origin, content }) => ({
    role,
    origin,
    content: content.map(({ native: _native, ...block }) => block),
  }));
}

/** A file as its agent keeps it, below the home. */
function place(path: string, lines: readonly unknown[]): string {
  const whole = join(at.home, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return whole;
}

interface Returned {
  readonly location: string;
  readonly file: string;
}

/** Hands the session over to `by` and back; `words`, if given, are added there. */
async function thereAndBack(
  from: string,
  agent: AgentName,
  by: AgentName,
  words?: string,
): Promise<Returned> {
  const there = await at.go(from, by);
  if (words !== undefined) await at.say(by, there, words);
  const back = await at.go(`${by}:${there.sessionId}`, agent);
  expect(back.broughtBack).toMatchObject({ agent, as: "records" });
  const location = back.location ?? "";
  return { location, file: location.replace(/#.*$/u, "") };
}

const ASKED = { role: "user", content: [{ type: "text", text: "Which teas do we sell?" }], timestamp: 1 };
const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
const ANSWERED = {
  role: "assistant",
  content: [{ type: "text", text: "Green and black." }],
  usage: USAGE,
  provider: "anthropic",
  model: "claude-opus-4-5",
  stopReason: "stop",
  timestamp: 2,
};
const TIME = "2026-05-06T07:00:00.000Z";
const HEADER = { type: "session", id: "0c111111-0000-4000-8000-000000000001", timestamp: TIME };

const PI = {
  "version 1": [
    { ...HEADER, cwd: "/home/dev/tea", provider: "anthropic", modelId: "claude-opus-4-5" },
    { type: "message", timestamp: TIME, message: ASKED },
    { type: "message", timestamp: TIME, message: ANSWERED },
    { type: "message", timestamp: TIME, message: { ...ASKED, content: "No white tea?" } },
    { type: "message", timestamp: TIME, message: ANSWERED },
    {
      type: "compaction",
      timestamp: TIME,
      summary: "They sell tea.",
      firstKeptEntryIndex: 3,
      tokensBefore: 9,
    },
    { type: "message", timestamp: TIME, message: { ...ASKED, content: "Order some." } },
    { type: "message", timestamp: TIME, message: ANSWERED },
  ],
  "version 2": [
    { ...HEADER, version: 2, cwd: "/home/dev/tea" },
    { type: "message", id: "a1", parentId: null, timestamp: TIME, message: ASKED },
    {
      type: "message",
      id: "a2",
      parentId: "a1",
      timestamp: TIME,
      message: {
        role: "hookMessage",
        customType: "kettle",
        content: "It is on.",
        display: true,
        timestamp: 3,
      },
    },
    { type: "message", id: "a3", parentId: "a2", timestamp: TIME, message: ANSWERED },
    { type: "message", id: "a4", parentId: "a2", timestamp: TIME, message: { ...ANSWERED, content: [] } },
    { type: "message", id: "a5", parentId: "a3", timestamp: TIME, message: { ...ASKED, content: "And?" } },
  ],
};

describe.each(Object.entries(PI))("pi's %s", (_version, lines) => {
  const PLACE = `.pi/agent/sessions/--home-dev-tea--/2026-05-06T07-00-00-000Z_${HEADER.id}.jsonl`;

  test("comes back in that version", async () => {
    const before = await readAt(place(PLACE, lines));
    const after = await readAt((await thereAndBack(`pi:${HEADER.id}`, "pi", "claude")).location);
    expect(plain(after)).toEqual([...plain(before), expect.objectContaining({ origin: "notification" })]);
    expect(withoutNames("pi", after.entries.slice(0, -1))).toEqual(withoutNames("pi", before.entries));
    expect(after.codes).toEqual(before.codes);
  });

  test("becomes version 3, as pi makes it, if messages were added", async () => {
    const before = await readAt(place(PLACE, lines));
    const { location, file } = await thereAndBack(`pi:${HEADER.id}`, "pi", "codex", "milk");
    const after = await readAt(location);
    expect(plain(after).slice(0, before.history.length)).toEqual(plain(before));
    expect(wordsOf(after.history.slice(before.history.length))).toEqual(saidOf("milk"));
    const written = readFileSync(file, "utf8");
    expect(written).toMatch(/^\{"type":"session",[^\n]*"version":3/u);
    expect(written).not.toMatch(/hookMessage|firstKeptEntryIndex/u);
    expect(after.codes).toEqual([]);
  });
});

const GEMINI_ID = "0f111111-0000-4000-8000-000000000001";
const CONVERSATION = {
  sessionId: GEMINI_ID,
  projectHash: "an older hash",
  startTime: TIME,
  lastUpdated: TIME,
  messages: [
    { id: "u1", timestamp: TIME, type: "user", content: "Which teas do we sell?" },
    {
      id: "g1",
      timestamp: TIME,
      type: "gemini",
      content: "I look.",
      model: "gemini-2.5-pro",
      thoughts: [{ subject: "Teas", description: "I list them.", timestamp: TIME }],
      toolCalls: [
        {
          id: "read__1",
          name: "read",
          args: { path: "teas.txt" },
          status: "success",
          timestamp: TIME,
          result: [
            { functionResponse: { id: "read__1", name: "read", response: { output: "green\nblack" } } },
          ],
        },
      ],
    },
    { id: "g2", timestamp: TIME, type: "gemini", content: "Green and black." },
  ],
};

/** Puts the file where Gemini CLI keeps the sessions of `/home/dev/tea`. */
function placeGemini(name: string, text: string): string {
  const project = join(at.home, ".gemini/tmp/tea");
  mkdirSync(join(project, "chats"), { recursive: true });
  writeFileSync(join(project, ".project_root"), "/home/dev/tea");
  writeFileSync(join(project, "chats", name), text);
  return join(project, "chats", name);
}

describe("an older file of Gemini CLI, one object", () => {
  const { projectHash: _hash, ...unhashed } = CONVERSATION;

  test.each([
    ["written over several lines", JSON.stringify(CONVERSATION, null, 2)],
    ["on one line", JSON.stringify(CONVERSATION)],
    ["without a hash of its folder", JSON.stringify(unhashed, null, 2)],
  ])("%s", async (_what, text) => {
    const source = placeGemini("session-2026-05-06T07-00-0f111111.json", text);
    const before = await readAt(source);
    expect(before.history.length).toBe(4);
    const { location, file } = await thereAndBack(source, "gemini", "pi");
    const after = await readAt(location);
    // Without this field, Gemini CLI does not read a file as a session.
    expect(readFileSync(file, "utf8").split("\n")[0]).toMatch(/"projectHash":"[0-9a-f]{64}"/u);
    expect(plain(after)).toEqual(plain(before));
    expect(withoutNames("gemini", after.entries.slice(0, -1))).toEqual(
      withoutNames("gemini", before.entries),
    );
    const more = await readAt((await thereAndBack(source, "gemini", "claude", "milk")).location);
    expect(plain(more).slice(0, 4)).toEqual(plain(before));
    expect(wordsOf(more.history.slice(4))).toEqual(saidOf("milk"));
    expect(withoutNames("gemini", more.entries.slice(0, 1))).toEqual(withoutNames("gemini", before.entries));
  });
});

test("raw line separators of Gemini CLI come back raw, and records that it does not see stay unseen", async () => {
  const [first, ...others] = CONVERSATION.messages;
  const head = { sessionId: GEMINI_ID, projectHash: "x", startTime: TIME, lastUpdated: TIME };
  const lost = { id: "u2", timestamp: TIME, type: "user", content: "One\u2028line?" };
  const escaped = { id: "u3", timestamp: TIME, type: "user", content: "Two\u2029lines?" };
  const lines = [head, first, ...others, lost].map((line) => JSON.stringify(line));
  const last = JSON.stringify(escaped).replace("\u2029", "\\u2029");
  const source = placeGemini("session-2026-05-06T07-00-0f111111.jsonl", [...lines, last, ""].join("\n"));
  const before = await readAt(source);
  for (const words of [undefined, "milk"]) {
    const { location, file } = await thereAndBack(source, "gemini", "pi", words);
    const after = await readAt(location);
    const count = before.history.length;
    expect(plain(after).slice(0, count)).toEqual(plain(before));
    expect(after.history.slice(0, count).map(({ metadata }) => metadata.gemini)).toEqual(
      before.history.map(({ metadata }) => metadata.gemini),
    );
    expect(after.codes).toEqual(["lost_on_resume"]);
    const raw = readFileSync(file, "utf8").split("\n");
    expect(raw.filter((line) => /[\u2028\u2029]/u.test(line))).toEqual([JSON.stringify(lost)]);
    expect(raw).toContain(last);
    expect(wordsOf(after.history.slice(count))).toEqual(words === undefined ? [] : saidOf(words));
  }
});

const OPENCODE_ID = "ses_0000000000000000000000000001";
const DATABASE = ".local/share/opencode/opencode.db";

/** `run` with the home's database. */
function withDatabase<T>(run: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(at.home, DATABASE));
  try {
    return run(database);
  } finally {
    database.close();
  }
}

const rowOf = (id: string): Readonly<Record<string, unknown>> =>
  withDatabase((database) => database.prepare("select * from session where id = ?").get(id)) ?? {};

const TURNS = [
  user("msg_1", "Which teas do we sell?"),
  answer("msg_2", [STEP, toolPart("c1", { status: "completed", output: "green", time: {} }), text("Green.")]),
  user("msg_3", "No white tea?"),
  answer("msg_4", [text("None.")]),
];
const SNAPSHOT = { snapshot: "0123456789", diff: "--- a/teas.txt" };

/** Returns the revert of the session at that location. */
function revertOf(location: string): Readonly<Record<string, unknown>> | null {
  const { revert } = rowOf(location.split("#")[1] ?? "");
  return typeof revert === "string" ? JSON.parse(revert) : null;
}

const REVERTS: readonly {
  readonly to: string;
  readonly revert: Readonly<Record<string, string>>;
  readonly messages: number;
}[] = [
  { to: "a message", revert: { messageID: "msg_3", ...SNAPSHOT }, messages: 3 },
  { to: "a part", revert: { messageID: "msg_2", partID: "prt_msg_2_2", ...SNAPSHOT }, messages: 3 },
  { to: "a missing part", revert: { messageID: "msg_2", partID: "prt_9" }, messages: 3 },
  { to: "a missing message", revert: { messageID: "msg_9" }, messages: 5 },
];

describe.each(REVERTS)("an opencode session that is reverted to $to", ({ revert, messages }) => {
  const location = (): string => `${join(at.home, DATABASE)}#${OPENCODE_ID}`;
  beforeEach(() => {
    withDatabase((database) => {
      insertSession(database, { row: { revert: JSON.stringify(revert) }, messages: TURNS });
    });
  });

  test("comes back with the revert, which can still be undone", async () => {
    const before = await readAt(location());
    expect(before.history).toHaveLength(messages);
    const back = await thereAndBack(location(), "opencode", "claude");
    const after = await readAt(back.location);
    expect(plain(after)).toEqual(plain(before));
    expect(withoutNames("opencode", after.entries.slice(1))).toEqual(
      withoutNames("opencode", before.entries.slice(1)),
    );
    const { messageID, partID, ...others } = revertOf(back.location) ?? {};
    const ids = after.entries.map(({ id }) => id);
    expect(ids.indexOf(String(messageID))).toBe(
      before.entries.findIndex(({ id }) => id === revert.messageID),
    );
    const partAt = before.entries.findIndex(({ id }) => id === revert.partID);
    expect(ids.indexOf(String(partID))).toBe(partAt);
    expect(others).toEqual("snapshot" in revert ? SNAPSHOT : {});
  });

  test("loses the reverted messages if messages were added, as in opencode", async () => {
    const before = await readAt(location());
    const back = await thereAndBack(location(), "opencode", "pi", "milk");
    const after = await readAt(back.location);
    expect(plain(after).slice(0, messages)).toEqual(plain(before));
    expect(wordsOf(after.history.slice(messages))).toEqual(saidOf("milk"));
    expect(revertOf(back.location)).toBe(null);
    expect(revertOf(location())).toEqual(revert);
  });
});

/** Returns a session in the form of `opencode export`. */
function exported(more: Readonly<Record<string, unknown>> = {}): string {
  const time = { created: FIRST_MS, updated: FIRST_MS + 60_000 };
  const info = {
    id: OPENCODE_ID,
    slug: "calm-kettle",
    projectID: "global",
    directory: "/home/dev/tea",
    path: "tea",
    title: "Tea",
    agent: "build",
    model: { id: "scripted-1", providerID: "scripted", variant: "default" },
    version: "1.18.33",
    summary: { additions: 1, deletions: 2, files: 3 },
    cost: 0.5,
    tokens: { input: 1, output: 2, reasoning: 3, cache: { read: 4, write: 5 } },
    permission: [{ permission: "question", pattern: "*", action: "deny" }],
    metadata: { kettle: "on" },
    time,
    ...more,
  };
  const messages = TURNS.map(({ id, data, parts = [] }, at) => ({
    info: {
      ...(data as object),
      id,
      sessionID: OPENCODE_ID,
      time: { created: FIRST_MS + at * 1000 },
    },
    parts: parts.map((part) => ({
      ...(part.data as object),
      id: part.id,
      sessionID: OPENCODE_ID,
      messageID: id,
    })),
  }));
  const path = join(at.home, "tea.json");
  writeFileSync(path, JSON.stringify({ info, messages }, null, 2));
  return path;
}

describe("an export of opencode", () => {
  test("comes back as the rows that an import makes of it", async () => {
    const before = await readAt(exported());
    const { location } = await thereAndBack(exported(), "opencode", "gemini");
    const after = await readAt(location);
    expect(plain(after)).toEqual(plain(before));
    const data = after.entries.slice(1).map(({ value }) => (value as { data: unknown }).data);
    expect(withoutNames("opencode", asEntries(data))).toEqual(
      withoutNames("opencode", before.entries.slice(1)),
    );
    expect(rowOf(location.split("#")[1] ?? "")).toMatchObject({
      project_id: "global",
      title: "from gemini: Tea",
      agent: "build",
      version: "1.18.33",
      cost: 0.5,
      summary_additions: 1,
      summary_deletions: 2,
      summary_files: 3,
      summary_diffs: null,
      tokens_input: 1,
      tokens_output: 2,
      tokens_reasoning: 3,
      tokens_cache_read: 4,
      tokens_cache_write: 5,
      revert: null,
      time_created: FIRST_MS,
      model: '{"id":"scripted-1","providerID":"scripted","variant":"default"}',
      permission: '[{"permission":"question","pattern":"*","action":"deny"}]',
      metadata: expect.stringMatching(/^\{"kettle":"on","continuo":/u),
    });
  });

  test("has the messages that were added after it", async () => {
    const before = await readAt(exported());
    const after = await readAt((await thereAndBack(exported(), "opencode", "pi", "milk")).location);
    expect(plain(after).slice(0, before.history.length)).toEqual(plain(before));
    expect(wordsOf(after.history.slice(before.history.length))).toEqual(saidOf("milk"));
  });

  test("with a revert comes back with it", async () => {
    const source = exported({ revert: { messageID: "msg_3", ...SNAPSHOT } });
    const before = await readAt(source);
    expect(before.history).toHaveLength(3);
    const { location } = await thereAndBack(source, "opencode", "codex");
    const after = await readAt(location);
    expect(plain(after)).toEqual(plain(before));
    const third = before.entries.findIndex(({ id }) => id === "msg_3");
    expect(revertOf(location)).toEqual({ messageID: after.entries[third]?.id, ...SNAPSHOT });
  });
});

const asEntries = (values: readonly unknown[]): readonly Entry[] =>
  values.map((value) => ({ line: null, id: null, parentId: null, type: "", active: true, value }));

test("damaged rows of an opencode session come back, and rows of its other generation stay where they are", async () => {
  withDatabase((database) => {
    insertSession(database, { messages: TURNS });
    const row = "insert into part values (?, 'msg_4', ?, 1, 1, ?)";
    database.prepare(row).run("prt_torn", OPENCODE_ID, '{"type":"text","text":"Bro');
    database
      .prepare(
        "insert into session_message (id, session_id, type, seq, time_created, time_updated, data) values ('sm_1', ?, 'x', 1, 1, 1, '{}')",
      )
      .run(OPENCODE_ID);
  });
  const source = `${join(at.home, DATABASE)}#${OPENCODE_ID}`;
  const before = await readAt(source);
  expect(before.codes.toSorted()).toEqual(["bad_json", "cannot_resume", "newer_format"]);
  const after = await readAt((await thereAndBack(source, "opencode", "pi")).location);
  expect(wordsOf(after.history)).toEqual(wordsOf(before.history));
  expect(after.codes).toEqual(before.codes.filter((code) => code !== "newer_format"));
  expect(withoutNames("opencode", after.entries.slice(1))).toEqual(
    withoutNames("opencode", before.entries.slice(1)),
  );
});
