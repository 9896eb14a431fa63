/** Sessions that pages continue, over HTTP, with a scripted agent. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { claudeFile, claudeText } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { idle, ownSession, pathOf, readChat, saidIn, storeOf, WAITING_SCRIPT } from "./open-chat.ts";
import { type OpenMachine, openMachine } from "./open-machine.ts";

interface Opened extends AsyncDisposable {
  readonly home: TalkHome;
  readonly machine: OpenMachine;
  readonly key: string;
  go(): void;
  send(part: "prompt" | "cancel" | "answer", body: object, token?: string): Promise<Response>;
}

async function open(): Promise<Opened> {
  const home = createTalkHome(WAITING_SCRIPT);
  const key = await ownSession(home);
  const machine = await openMachine(home);
  return {
    home,
    machine,
    key,
    go: () => writeFileSync(join(home.path, "go"), ""),
    send: (part, body, token) => machine.post(pathOf(key, part), body, token),
    [Symbol.asyncDispose]: () => machine[Symbol.asyncDispose](),
  };
}

const PAGE = { id: "page-1", name: "Firefox on Linux" };
const OTHER = { id: "page-2", name: "Chrome on macOS" };

test("a prompt is answered in the session, and two pages see the same turn, one of them from its middle", async () => {
  await using chat = await open();
  await using first = await readChat(chat.machine, chat.key);
  await first.until(({ state }) => state !== null);
  expect(first.state).toMatchObject({ agent: "robot", readOnly: null, running: null, waiting: [] });
  expect(first.state?.agents).toEqual(expect.arrayContaining(["robot", "other"]));
  const answer = await chat.send("prompt", { text: "wait" });
  expect(answer.status).toBe(202);
  const { key, runId } = (await answer.json()) as { readonly key: string; readonly runId: string };
  expect(key).toBe(chat.key);
  await first.until((reader) => saidIn(reader) === "one two ");
  await using second = await readChat(chat.machine, chat.key);
  await second.until((reader) => saidIn(reader) === "one two ");
  expect(second.state?.running).toMatchObject({ runId, text: "wait", agent: "robot", status: "running" });
  chat.go();
  for (const reader of [first, second]) {
    await reader.until(idle);
    expect(saidIn(reader)).toBe("one two three");
    expect(reader.state).toMatchObject({ running: null, unanswered: [] });
  }
  const { messages } = await chat.machine.json(
    `/v1/machine/sessions/${encodeURIComponent(chat.key)}/history`,
  );
  const [asked, said] = messages as readonly { message: { content: unknown; metadata: object } }[];
  expect(asked?.message.content).toEqual([{ type: "text", text: "wait" }]);
  expect(said?.message.content).toEqual([{ type: "text", text: "one two three" }]);
  // A page joins the two message lists by their ids.
  expect([...first.live.messages.keys()]).toEqual(
    [asked, said].map((one) => (one?.message.metadata as { sequence?: number } | undefined)?.sequence),
  );
});

test("both pages are asked for permission with the whole change, and the first answer counts for both", async () => {
  await using chat = await open();
  await using first = await readChat(chat.machine, chat.key);
  await using second = await readChat(chat.machine, chat.key);
  await chat.send("prompt", { text: "edit it" });
  for (const reader of [first, second]) await reader.until(({ state }) => state?.questions.length === 1);
  const [question] = first.state?.questions ?? [];
  expect(second.state?.questions).toEqual([question]);
  expect(question).toMatchObject({
    title: "Edit",
    input: { path: "src/a.ts" },
    content: [{ type: "diff", newText: expect.stringContaining("const b = 42;") }],
  });
  const approvalId = question?.approvalId ?? "";
  const refused = await chat.send("answer", { approvalId, outcome: "denied", optionId: "ever", page: OTHER });
  expect(refused.status).toBe(400);
  const answers = [
    await chat.send("answer", { approvalId, outcome: "granted", optionId: "yes", page: PAGE }),
    await chat.send("answer", { approvalId, outcome: "denied", page: OTHER }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 409]);
  expect(await answers[1]?.json()).toMatchObject({
    error: { code: "conflict", message: expect.stringContaining(PAGE.name), details: { page: PAGE } },
  });
  for (const reader of [first, second]) {
    await reader.until(idle);
    expect(reader.state).toMatchObject({
      questions: [],
      answered: [{ approvalId, outcome: "granted", page: PAGE }],
    });
  }
  await using store = await openStore(storeOf(chat.home));
  const { events } = await store.read(chat.key.slice("continuo:".length), { types: ["approval_resolved"] });
  expect(events.map(({ data }) => data)).toMatchObject([
    { outcome: "granted", by: "person", optionId: "yes" },
  ]);
});

test("a page that may change sessions may also answer later questions", async () => {
  await using chat = await open();
  await using page = await readChat(chat.machine, chat.key);
  await chat.send("prompt", { text: "edit it" });
  await page.until(({ state }) => state?.questions.length === 1);
  const approvalId = page.state?.questions[0]?.approvalId;
  const always = { approvalId, outcome: "granted", optionId: "ever", page: PAGE };
  expect((await chat.send("answer", always)).status).toBe(200);
  await page.until(idle);
  expect(saidIn(page)).toContain('"optionId":"ever"');
});

test("a turn is cancelled from any page, and its prompt is offered as one without an answer", async () => {
  await using chat = await open();
  await using page = await readChat(chat.machine, chat.key);
  await chat.send("prompt", { text: "slow" });
  await page.until((reader) => saidIn(reader) === "I begin." && reader.state?.running !== null);
  const { runId } = page.state?.running ?? {};
  const other = await ownSession(chat.home, "another one");
  expect((await chat.machine.post(pathOf(other, "cancel"), { runId })).status).toBe(404);
  expect((await chat.send("cancel", { runId })).status).toBe(202);
  await page.until(({ state }) => state?.running === null);
  expect(page.state?.unanswered).toMatchObject([{ runId, status: "cancelled", text: "slow" }]);
  expect((await chat.send("cancel", { runId })).status).toBe(409);
  expect((await chat.send("cancel", { runId: "none" })).status).toBe(404);
  // The events of a page name the beginning of each turn: none at first, the cancelled one, and the next.
  await chat.send("prompt", { text: "hello" });
  await page.until((reader) => saidIn(reader).endsWith("hello") && idle(reader));
  expect(page.events.filter(({ type }) => type === "turn")).toHaveLength(3);
});

test("prompts that are sent while a turn runs wait in the store, in their order, and can be taken back", async () => {
  await using chat = await open();
  await using page = await readChat(chat.machine, chat.key);
  await chat.send("prompt", { text: "wait" });
  await page.until((reader) => saidIn(reader) === "one two ");
  await chat.send("prompt", { text: "second" });
  await chat.send("prompt", { text: "third" });
  await page.until(({ state }) => state?.waiting.length === 2);
  expect(page.state?.waiting.map(({ text }) => text)).toEqual(["second", "third"]);
  await using store = await openStore(storeOf(chat.home));
  const pending = await store.listRuns({ sessionId: chat.key.slice("continuo:".length), status: "pending" });
  expect(pending.items).toHaveLength(2);
  expect((await chat.send("prompt", { text: "x", agent: "other" })).status).toBe(503);
  await chat.send("cancel", { runId: page.state?.waiting[0]?.runId });
  await page.until(({ state }) => state?.waiting.length === 1);
  expect(chat.home.prompts()).toHaveLength(1);
  chat.go();
  await page.until(idle);
  expect(chat.home.prompts()).toEqual(["wait", expect.stringMatching(/The new message:third$/u)]);
  // The agent reads the withdrawn message as withdrawn, and does not answer it.
  expect(chat.home.prompts()[1]).toMatch(/\| second\s+note:\s+\| \[The run was cancelled: cancelled in/u);
});

test("another agent answers from the next prompt on, with the messages before it", async () => {
  await using chat = await open();
  await using page = await readChat(chat.machine, chat.key);
  await chat.send("prompt", { text: "hello", agent: "other" });
  await page.until((reader) => saidIn(reader) !== "" && idle(reader));
  expect(page.state?.agent).toBe("other");
  expect(page.state?.unanswered).toEqual([]);
  const answer = await chat.send("prompt", { text: "x", agent: "nobody" });
  expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
});

test("only a token that may write can write; a page that may only read says so", async () => {
  await using chat = await open();
  const reader = await chat.machine.token(["machine:read"]);
  await using page = await readChat(chat.machine, chat.key, reader);
  await page.until(({ state }) => state !== null);
  expect(page.state?.readOnly).toMatch(/only read/u);
  for (const part of ["prompt", "cancel", "answer"] as const) {
    expect((await chat.send(part, { text: "x" }, reader)).status).toBe(403);
  }
});

test.each([
  ["prompt", {}],
  ["prompt", { text: "" }],
  ["prompt", { text: " \n" }],
  ["prompt", { text: "x", agent: "--flag" }],
  ["prompt", { text: "x", cwd: "/" }],
  ["cancel", { runId: "" }],
  ["answer", { approvalId: "a", outcome: "cancelled", page: PAGE }],
  ["answer", { approvalId: "a", outcome: "denied", page: { id: "<b>", name: "x" } }],
  ["answer", { approvalId: "a", outcome: "denied", page: { id: "a", name: "x".repeat(65) } }],
] as const)("what is sent to %s as %j is refused", async (part, body) => {
  await using chat = await open();
  expect((await chat.send(part, body)).status).toBe(400);
});

test("a prompt may be long, up to a limit", async () => {
  await using chat = await open();
  expect((await chat.send("prompt", { text: "x".repeat(200_001) })).status).toBe(400);
  expect((await chat.send("prompt", { text: "x".repeat(200_000) })).status).toBe(202);
});

test("a request of a page of another site is refused", async () => {
  await using chat = await open();
  const token = await chat.machine.token(["machine:read,write"]);
  const response = await fetch(`${chat.machine.url}${pathOf(chat.key, "prompt")}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      origin: "https://evil.example",
      "content-type": "application/json",
    },
    body: JSON.stringify({ text: "x" }),
  });
  expect(response.status).toBe(403);
  expect(chat.home.prompts()).toEqual([]);
});

test("a turn whose process ended is one without an answer, and the same words again are its retry", async () => {
  await using chat = await open();
  const sessionId = chat.key.slice("continuo:".length);
  await using store = await openStore(storeOf(chat.home));
  await store.createRun({ sessionId, runId: "left", input: [{ type: "text", text: "hello" }] });
  await store.append(sessionId, [{ type: "run_started", data: { runId: "left" }, runId: "left" }], {
    also: [{ type: "run", runId: "left", to: "running" }],
  });
  await using page = await readChat(chat.machine, chat.key);
  await page.until(({ state }) => state?.unanswered.length === 1);
  expect(page.state).toMatchObject({ running: null, unanswered: [{ runId: "left", status: "interrupted" }] });
  await chat.send("prompt", { text: "hello" });
  await page.until((reader) => idle(reader) && reader.state?.unanswered.length === 0);
  const { items } = await store.listRuns({ sessionId });
  expect(items.map(({ status, metadata }) => [status, metadata.retryOf])).toEqual([
    ["interrupted", undefined],
    ["completed", "left"],
  ]);
});

/** Claude Code's own session, in a folder that exists. */
function nativeSession(home: TalkHome): string {
  const id = "4bf3c2a1-0000-4000-8000-00000000c4a7";
  const lines = [
    { uuid: "u1", parent: null, role: "user", content: "Fix the build", time: "10:00:00" },
    {
      uuid: "a1",
      parent: "u1",
      role: "assistant",
      content: [{ type: "text", text: "Done." }],
      time: "10:00:05",
    },
  ] as const;
  const text = claudeText(id, lines).replaceAll("/home/ann/app", join(home.path, "project"));
  home.write(claudeFile(id), text);
  return id;
}

test("an agent's own session is taken up with the first prompt, and every page of it continues under the new key", async () => {
  using home = createTalkHome(WAITING_SCRIPT);
  const id = nativeSession(home);
  await using machine = await openMachine(home);
  await using page = await readChat(machine, `claude:${id}`);
  await page.until(({ state }) => state !== null);
  expect(page.state).toMatchObject({ agent: "claude", readOnly: null, running: null });
  const answer = await machine.post(pathOf(`claude:${id}`, "prompt"), { text: "go on", agent: "robot" });
  const { key } = (await answer.json()) as { readonly key: string };
  expect([answer.status, key]).toEqual([202, expect.stringMatching(/^continuo:/u)]);
  await page.until(({ events }) => events.at(-1)?.type === "moved");
  expect(page.events.at(-1)).toEqual({ type: "moved", key });
  await using next = await readChat(machine, key);
  await next.until((reader) => idle(reader) && reader.state?.agent === "robot");
  expect(home.prompts()).toEqual([expect.stringMatching(/Fix the build[\s\S]*go on$/u)]);
  expect(readFileSync(join(home.path, claudeFile(id)), "utf8")).not.toContain("go on");
  // A reader with the old address is sent to the new one.
  await using late = await readChat(machine, `claude:${id}`);
  await late.until(({ events }) => events.length > 0);
  expect(late.events[0]).toEqual({ type: "moved", key });
  // All other requests for the old address are answered too, even after a restart.
  await using again = await openMachine(home);
  for (const one of [machine, again]) {
    const head = await (await one.get(`/v1/machine/sessions/${encodeURIComponent(`claude:${id}`)}`)).json();
    expect(head).toMatchObject({ session: { key, agent: "continuo" } });
    const path = `/v1/machine/sessions/${encodeURIComponent(`claude:${id}`)}/history?limit=100`;
    expect(JSON.stringify(await (await one.get(path)).json())).toContain("Fix the build");
  }
});

test("a session that is open in its own agent is read-only: no message is sent, and no program is started", async () => {
  using home = createTalkHome(WAITING_SCRIPT);
  const id = nativeSession(home);
  home.write(`.claude/sessions/${process.pid}.json`, JSON.stringify({ pid: process.pid, sessionId: id }));
  await using machine = await openMachine(home);
  await using page = await readChat(machine, `claude:${id}`);
  await page.until(({ state }) => state !== null);
  expect(page.state?.readOnly).toMatch(/^session .+ is open in claude$/u);
  const answer = await machine.post(pathOf(`claude:${id}`, "prompt"), { text: "go on", agent: "robot" });
  expect([answer.status, await answer.json()]).toMatchObject([409, { error: { code: "session_live" } }]);
  expect(home.methods()).toEqual([]);
  rmSync(join(home.path, `.claude/sessions/${process.pid}.json`));
  await page.until(({ state }) => state?.readOnly === null);
});
