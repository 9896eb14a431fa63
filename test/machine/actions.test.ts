/** Actions over HTTP: their effects on the files of agents, the actions that only show a plan, and who may act. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type {
  ForkAnswer,
  HandOffAnswer,
  HandOffPreview,
  HistoryWindow,
  RepairAnswer,
  SessionsPage,
  TrashAnswer,
} from "@continuo/core/wire/machine";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText, DAMAGED_ID, HOSTILE_ID, writeDamaged } from "../cli/home.ts";
import { builtViewer } from "../sizes/shared-programs.ts";
import { type OpenMachine, openMachine } from "./open-machine.ts";

let machine: OpenMachine;
beforeEach(async () => {
  machine = await openMachine();
  // The sessions of the home run in an existing folder.
  const cwd = machine.home.path;
  const file = join(cwd, claudeFile(CLAUDE_ID));
  machine.home.write(claudeFile(CLAUDE_ID), readFileSync(file, "utf8").replaceAll("/home/ann/app", cwd));
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
});

const KEY = `/v1/machine/sessions/claude:${CLAUDE_ID}`;

function fileText(): string {
  return readFileSync(join(machine.home.path, claudeFile(CLAUDE_ID)), "utf8");
}

async function posted<T>(path: string, body: unknown = {}): Promise<T> {
  const response = await machine.post(path, body);
  expect([path, response.status < 300, await response.clone().text()]).toEqual([
    path,
    true,
    expect.anything(),
  ]);
  return (await response.json()) as T;
}

test("rename gives the agent's session its new title, and the list shows it", async () => {
  expect(await posted(`${KEY}/rename`, { title: "Another title" })).toMatchObject({ title: "Another title" });
  expect(fileText()).toContain("Another title");
  expect(await machine.json("/v1/machine/sessions?title=another")).toMatchObject({ total: 1 });
});

test("delete moves a session to the trash, and restore brings it back byte for byte", async () => {
  const before = fileText();
  const { trashId } = await posted<TrashAnswer>(`${KEY}/delete`);
  expect(existsSync(join(machine.home.path, claudeFile(CLAUDE_ID)))).toBe(false);
  expect((await machine.get(KEY)).status).toBe(404);
  const trash = (await machine.json("/v1/machine/sessions?deleted=only")) as SessionsPage;
  expect(trash.sessions).toMatchObject([{ sessionId: CLAUDE_ID, trashId }]);
  // A chosen agent without a session in the trash does not hide the other agents from the choice.
  expect(await machine.json("/v1/machine/sessions?deleted=only&agent=codex")).toMatchObject({
    total: 0,
    agents: trash.agents,
  });
  expect(await posted(`/v1/machine/trash/${trashId}/restore`)).toMatchObject({ sessionId: CLAUDE_ID });
  expect(fileText()).toBe(before);
});

test("a session in the trash is read by its key, and cannot be changed there", async () => {
  const history = `${KEY}/history?limit=5`;
  const said = (answer: HistoryWindow) => answer.messages.map(({ message }) => message.content);
  const before = said(await machine.json(history));
  const { trashId } = await posted<TrashAnswer>(`${KEY}/delete`);
  const [row] = ((await machine.json("/v1/machine/sessions?deleted=only")) as SessionsPage).sessions;
  expect(row?.key).toBe(`trash:${trashId}`);
  const path = `/v1/machine/sessions/${encodeURIComponent(row?.key ?? "")}`;
  expect(said(await machine.json(`${path}/history?limit=5`))).toEqual(before);
  expect(await machine.json(path)).toMatchObject({
    session: { trashId },
    readOnly: "The session is in the trash.",
  });
  for (const act of ["rename", "fork", "delete", "repair", "terminal"]) {
    const response = await machine.post(`${path}/${act}`, act === "rename" ? { title: "x" } : {});
    expect([act, response.status, await response.json()]).toMatchObject([
      act,
      501,
      { error: { hint: "Restore it first." } },
    ]);
  }
  expect((await machine.post(`${path}/chat/prompt`, { text: "hello" })).status).toBe(501);
  // Reading a session in the trash left no file that a restoration would bring back.
  expect(await posted(`/v1/machine/trash/${trashId}/restore`)).toMatchObject({ sessionId: CLAUDE_ID });
  expect((await machine.get(path)).status).toBe(404);
  expect(said(await machine.json(history))).toEqual(before);
});

test("emptying the trash deletes its sessions for good, and no other", async () => {
  await posted(`${KEY}/delete`);
  expect(await machine.json("/v1/machine/sessions?deleted=only")).toMatchObject({ total: 1 });
  expect(await posted("/v1/machine/trash/empty")).toEqual({ sessions: 1, stayed: 0 });
  expect(await machine.json("/v1/machine/sessions?deleted=only")).toMatchObject({ total: 0 });
  expect(((await machine.json("/v1/machine/sessions")) as SessionsPage).total).toBeGreaterThan(0);
  expect(await posted("/v1/machine/trash/empty")).toEqual({ sessions: 0, stayed: 0 });
});

/** The file of the store of Continuo's own sessions. */
const storeFile = (): string => join(machine.home.path, ".continuo/continuo.db");

const trashTotal = async (): Promise<number> =>
  ((await machine.json("/v1/machine/sessions?deleted=only")) as SessionsPage).total;

test("a deletion that moved only a part of a conversation is in the next list of the trash", async () => {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const procStart = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  const open = { pid: process.pid, sessionId: HOSTILE_ID, procStart };
  machine.home.write(`.claude/sessions/${process.pid}.json`, JSON.stringify(open));
  {
    await using store = await openStore(`sqlite:${storeFile()}`);
    const takenFrom = { agent: "claude", sessionId: CLAUDE_ID };
    const providerSessions = { claude: { sessionId: HOSTILE_ID } };
    await store.createSession({ sessionId: "own", title: "Mine", metadata: { takenFrom, providerSessions } });
  }
  expect(await trashTotal()).toBe(0);
  const refused = await machine.post("/v1/machine/sessions/continuo:own/delete");
  expect(await refused.json()).toMatchObject({ error: { code: "session_live" } });
  expect(await trashTotal()).toBe(1);
});

test("if the store refuses a deletion, the native sessions stay in the trash, and the next list is a new one", async () => {
  {
    await using store = await openStore(`sqlite:${storeFile()}`);
    for (const sessionId of ["kept", "other"]) await store.createSession({ sessionId, title: "Mine" });
  }
  for (const key of [`claude:${CLAUDE_ID}`, "continuo:kept", "continuo:other"]) {
    await posted(`/v1/machine/sessions/${key}/delete`);
  }
  expect(await trashTotal()).toBe(3);
  {
    using database = new DatabaseSync(storeFile());
    const refusal = "when old.session_id = 'kept' begin select raise(abort, 'no'); end";
    database.exec(`create trigger refused before delete on sessions ${refusal}`);
  }
  expect((await machine.post("/v1/machine/trash/empty")).ok).toBe(false);
  expect(await trashTotal()).toBe(2);
});

test.each(["..%2F..%2Fetc", "nobody", CLAUDE_ID.slice(0, 4)])(
  "the trash id %s is not found, and nothing is restored",
  async (id) => {
    await posted(`${KEY}/delete`);
    expect((await machine.post(`/v1/machine/trash/${id}/restore`)).status).toBe(404);
    expect(existsSync(join(machine.home.path, claudeFile(CLAUDE_ID)))).toBe(false);
  },
);

test("fork makes a session of the same beginning, with its command, and leaves the first as it is", async () => {
  const before = fileText();
  const fork = await posted<ForkAnswer>(`${KEY}/fork`, { at: "u2" });
  expect(fork).toMatchObject({ messages: 4, resume: { cwd: machine.home.path } });
  expect(fork.resume.command).toContain(fork.sessionId);
  const window = (await machine.json(`/v1/machine/sessions/${fork.session?.key}/history`)) as HistoryWindow;
  expect(window.messages.at(-1)?.message.content).toMatchObject([{ text: "Try again" }]);
  expect(fileText()).toBe(before);
});

test("resume is the command of the session's agent in its folder", async () => {
  expect(await machine.json(`${KEY}/resume`)).toEqual({
    cwd: machine.home.path,
    argv: ["claude", "--resume", CLAUDE_ID],
    command: `cd ${machine.home.path} && claude --resume ${CLAUDE_ID}`,
    // The environment of this server has no display.
    terminal: null,
  });
});

test("resume of an agent that may delete its sessions is Continuo's command, which copies the session first", async () => {
  const { session } = await posted<HandOffAnswer>(`${KEY}/handoff`, { to: "gemini" });
  const name = `gemini:${session?.sessionId}`;
  expect(await machine.json(`/v1/machine/sessions/${name}/resume`)).toMatchObject({
    argv: ["continuo", "resume", name],
  });
});

test.each([
  ["is gone", "/home/ann/app"],
  ["has a name that no folder can have", "/home/ann\\u0000"],
])("a session whose folder %s has no command", async (_, cwd) => {
  const id = "4bf3aaaa-0000-4000-8000-00000000000c";
  const line = { uuid: "x1", parent: null, role: "user", content: "Hi", time: "11:00:00" } as const;
  machine.home.write(claudeFile(id), claudeText(id, [line]).replaceAll("/home/ann/app", cwd));
  const response = await machine.get(`/v1/machine/sessions/claude:${id}/resume`);
  expect([response.status, await response.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
});

test("hand-over gives the receipt first, and writes nothing for it", async () => {
  const preview = (await machine.json(`${KEY}/handoff?to=codex`)) as HandOffPreview;
  expect(preview.agent).toBe("codex");
  expect(Object.keys(preview.receipt.byKind)).toContain("text");
  const list = "/v1/machine/sessions?agent=codex";
  expect(await machine.json(list)).toMatchObject({ total: 1 });
  const made = await posted<HandOffAnswer>(`${KEY}/handoff`, { to: "codex" });
  expect(made).toMatchObject({ agent: "codex", receipt: preview.receipt, session: { agent: "codex" } });
  expect(await machine.json(list)).toMatchObject({ total: 2 });
});

test("repair shows its edits before it makes them", async () => {
  writeDamaged(machine.home);
  const key = `/v1/machine/sessions/claude:${DAMAGED_ID}`;
  const file = join(machine.home.path, claudeFile(DAMAGED_ID));
  const before = readFileSync(file, "utf8");
  const preview = (await machine.json(`${key}/repair`)) as RepairAnswer;
  expect(preview).toMatchObject({ written: false, trashId: null });
  expect(preview.editCount).toBeGreaterThan(0);
  expect(readFileSync(file, "utf8")).toBe(before);
  const repair = await posted<RepairAnswer>(`${key}/repair`);
  expect(repair).toMatchObject({ written: true, edits: preview.edits });
  expect(readFileSync(file, "utf8")).not.toBe(before);
  // The next list has the row of the repaired file.
  const { sessions } = (await machine.json("/v1/machine/sessions")) as SessionsPage;
  const row = sessions.find(({ sessionId }) => sessionId === DAMAGED_ID);
  expect(row?.sizeBytes).toBe(statSync(file).size);
});

test.each([
  ["md", "text/markdown", "Fix the build"],
  ["html", "text/html", "<title>Fix the build"],
  ["jsonl", "application/jsonl", '"role":"user"'],
  ["json", "application/json", '"messages"'],
])("export as %s is a file to keep, never a page of the server", async (format, type, text) => {
  if (format === "html") await builtViewer();
  const response = await machine.get(`${KEY}/export?format=${format}`);
  const headers = Object.fromEntries(response.headers);
  expect(headers["content-type"]).toContain(type);
  expect(headers["content-disposition"]).toBe(`attachment; filename="claude-${CLAUDE_ID}.${format}"`);
  expect(headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
  expect(await response.text()).toContain(text);
});

test("an export of several sessions is in the audit log with each of them", async () => {
  const keys = [`claude:${CLAUDE_ID}`, `claude:${HOSTILE_ID}`];
  const response = await machine.post("/v1/machine/export", { keys, format: "md" });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  const { items } = await machine.store.listAudit({ what: "session_exported" });
  expect(items.map(({ target }) => target)).toEqual(keys.toReversed());
});

const ACTIONS = ["rename", "fork", "delete", "repair", "handoff"];

test("a token that may only read changes nothing", async () => {
  const before = fileText();
  const token = await machine.token(["machine:read"]);
  for (const action of ACTIONS) {
    const response = await machine.post(`${KEY}/${action}`, { title: "x", to: "codex" }, token);
    expect([action, response.status]).toEqual([action, 403]);
  }
  expect((await machine.post("/v1/machine/trash/x/restore", {}, token)).status).toBe(403);
  expect((await machine.get(`${KEY}/repair`, token)).status).toBe(200);
  expect(fileText()).toBe(before);
});

test("a page of another origin changes nothing, with whatever token", async () => {
  const token = await machine.token(["machine:read,write"]);
  const response = await fetch(`${machine.url}${KEY}/delete`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, origin: "http://evil.example" },
  });
  expect(response.status).toBe(403);
  expect(existsSync(join(machine.home.path, claudeFile(CLAUDE_ID)))).toBe(true);
});

test.each([
  ["rename", { title: "" }],
  ["rename", { title: "x".repeat(1_001) }],
  ["rename", { title: "x", force: true }],
  ["fork", { at: 7 }],
  ["handoff", { to: "nobody" }],
  ["handoff", { to: "codex", cwd: "../etc" }],
  ["repair", { output: "/etc/passwd" }],
  ["delete", { force: true }],
])("%s with the body %j is refused as invalid", async (action, body) => {
  const before = fileText();
  const response = await machine.post(`${KEY}/${action}`, body);
  expect([response.status, await response.json()]).toMatchObject([400, { error: { code: "invalid" } }]);
  expect(fileText()).toBe(before);
});
