/**
 * The inbox over HTTP: waiting questions, running turns, ended turns that nobody has seen, and the rights of tokens.
 */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { InboxState } from "@continuo/core/wire/machine";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText, createHome, HOSTILE_ID, type Home } from "../cli/home.ts";
import { createTalkHome, SCRIPT } from "../cli/talk.ts";
import { EDITS, idle, ownSession, pathOf, readChat, storeOf } from "./open-chat.ts";
import { eventsOf, type OpenMachine, openMachine } from "./open-machine.ts";

const INBOX = "/v1/machine/inbox";
const BY = { id: "test", name: "a test" };
const LATER = "2030-01-01T00:00:00.000Z";

const inboxOf = async (machine: OpenMachine): Promise<InboxState> => await machine.json(INBOX);
const keysOf = (items: InboxState["finished"]): readonly string[] => items.map(({ session }) => session.key);

/** A session of Claude Code whose last record has this time. */
function writeClaude(home: Home, id: string, at: string): void {
  const lines = [
    { uuid: "a", parent: null, role: "user", content: "Fix the build", time: "10:00:00" },
  ] as const;
  home.write(claudeFile(id), claudeText(id, lines).replace(/"timestamp":"[^"]*"/u, `"timestamp":"${at}"`));
}

test("a question that waits is in the inbox until it is answered, and its turn ends unseen", async () => {
  const home = createTalkHome({ ...SCRIPT, prompts: { ...SCRIPT.prompts, ...EDITS } });
  const key = await ownSession(home, "asked");
  await using machine = await openMachine(home);
  await using page = await readChat(machine, key);
  await machine.post(pathOf(key, "prompt"), { text: "edit it" });
  await page.until(({ state }) => state?.questions.length === 1);
  const asked = await inboxOf(machine);
  expect(asked).toMatchObject({
    asks: [{ session: { key, title: "asked" }, question: { title: "Edit" } }],
    running: [],
    finished: [],
    failed: [],
    rights: "write",
  });
  const approvalId = asked.asks[0]?.question.approvalId;
  await machine.post(pathOf(key, "answer"), { approvalId, outcome: "granted", page: BY });
  await page.until(idle);
  await expect.poll(async () => keysOf((await inboxOf(machine)).finished)).toEqual([key]);
  expect(await inboxOf(machine)).toMatchObject({ asks: [], running: [], failed: [], unseen: 1 });
});

test("a turn that failed says why, and is gone after a look that the next server knows", async () => {
  const home = createTalkHome();
  const key = await ownSession(home, "refused");
  const other = await ownSession(home, "other");
  await using machine = await openMachine(home);
  expect((await inboxOf(machine)).unseen).toBe(0);
  for (const one of [key, other]) {
    await using page = await readChat(machine, one);
    await machine.post(pathOf(one, "prompt"), { text: "refuse" });
    await page.until(({ state }) => state?.unanswered.length === 1);
  }
  await expect.poll(async () => (await inboxOf(machine)).failed.length).toBe(2);
  const { failed } = await inboxOf(machine);
  expect(failed[0]).toMatchObject({ failure: expect.stringContaining("the model says 401") });
  expect((await machine.post(`${INBOX}/seen`, { keys: [key, "claude:nobody"] })).status).toBe(200);
  expect(keysOf((await inboxOf(machine)).failed)).toEqual([other]);
  const file = join(home.path, ".continuo/seen.json");
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8")).marks)).toEqual([key]);
  await using next = await openMachine(home);
  expect(keysOf((await inboxOf(next)).failed)).toEqual([other]);
});

test("a turn runs here until its end, and one that a person cancelled has not failed", async () => {
  const home = createTalkHome();
  const key = await ownSession(home, "slow");
  await using machine = await openMachine(home);
  await using page = await readChat(machine, key);
  await machine.post(pathOf(key, "prompt"), { text: "slow" });
  await page.until(({ state }) => state?.running !== null);
  await expect
    .poll(async () => (await inboxOf(machine)).running)
    .toEqual([
      {
        session: expect.objectContaining({ key, title: "slow", agent: "continuo" }),
        agent: "robot",
        runner: "this server",
        since: expect.any(String),
      },
    ]);
  await machine.post(pathOf(key, "cancel"), { runId: page.state?.running?.runId });
  await page.until(idle);
  await expect.poll(async () => keysOf((await inboxOf(machine)).finished)).toEqual([key]);
  expect((await inboxOf(machine)).running).toEqual([]);
});

test("a process that ended in its turn is a failure, and runs nothing", async () => {
  const home = createTalkHome({ prompts: EDITS });
  const key = await ownSession(home, "left");
  const sessionId = key.slice("continuo:".length);
  await using machine = await openMachine(home);
  expect((await inboxOf(machine)).running).toEqual([]);
  await using store = await openStore(storeOf(home));
  await store.createRun({ sessionId, runId: "left", input: [{ type: "text", text: "x" }], agent: "robot" });
  await store.append(sessionId, [{ type: "run_started", data: { runId: "left" }, runId: "left" }], {
    also: [{ type: "run", runId: "left", to: "running" }],
  });
  await expect
    .poll(async () => await inboxOf(machine))
    .toMatchObject({ running: [], failed: [{ session: { key }, failure: "its process has ended" }] });
});

test("what ended before the first start is seen, what changes afterwards is not, and all can be seen at once", async () => {
  const home = createHome();
  writeClaude(home, CLAUDE_ID, "2025-01-01T10:00:00.000Z");
  await using machine = await openMachine(home);
  expect(await inboxOf(machine)).toMatchObject({ unseen: 0, finished: [] });
  expect(existsSync(join(home.path, ".continuo/seen.json"))).toBe(false);
  writeClaude(home, HOSTILE_ID, LATER);
  await expect.poll(async () => keysOf((await inboxOf(machine)).finished)).toEqual([`claude:${HOSTILE_ID}`]);
  expect((await inboxOf(machine)).unseen).toBe(1);
  await machine.post(`${INBOX}/seen`, { all: true });
  expect(await inboxOf(machine)).toMatchObject({ unseen: 0, finished: [] });
  rmSync(join(home.path, ".continuo/seen.json"));
  home.write(".continuo/seen.json", "{");
  expect(await inboxOf(machine)).toMatchObject({ unseen: 1 });
  const refused = await machine.post(`${INBOX}/seen`, { all: true });
  expect(await refused.json()).toMatchObject({ error: { code: "corrupt" } });
  expect(readFileSync(join(home.path, ".continuo/seen.json"), "utf8")).toBe("{");
});

test("a page that follows the inbox gets a question at once, and only states that differ", async () => {
  const home = createTalkHome({ ...SCRIPT, prompts: { ...SCRIPT.prompts, ...EDITS } });
  const key = await ownSession(home, "asked");
  await using machine = await openMachine(home);
  const stop = new AbortController();
  const response = await machine.get(`${INBOX}/events`, undefined, stop.signal);
  const seen: string[] = [];
  for await (const { event, data } of eventsOf(response)) {
    expect(event).toBe("inbox");
    seen.push(JSON.stringify(data));
    if (seen.length === 1) await machine.post(pathOf(key, "prompt"), { text: "edit it" });
    if ((data as InboxState).asks.length === 1) break;
  }
  stop.abort();
  expect(new Set(seen).size).toBe(seen.length);
});

test("a token that answers may answer once and look, and change nothing else", async () => {
  const home = createTalkHome({ ...SCRIPT, prompts: { ...SCRIPT.prompts, ...EDITS } });
  const key = await ownSession(home, "asked");
  await using machine = await openMachine(home);
  const answering = await machine.token(["machine:read,answer"]);
  const reading = await machine.token(["machine:read"]);
  await using page = await readChat(machine, key, answering);
  await machine.post(pathOf(key, "prompt"), { text: "edit it" });
  await page.until(({ state }) => state?.questions.length === 1);
  expect(page.state?.readOnly).toBe("This page may only read, and answer questions.");
  const states = await Promise.all(
    [answering, reading].map(async (token) => await (await machine.get(INBOX, token)).json()),
  );
  expect((states as InboxState[]).map(({ rights }) => rights)).toEqual(["answer", "read"]);
  const approvalId = page.state?.questions[0]?.approvalId;
  const granted = { approvalId, outcome: "granted", page: BY };
  const refused: readonly (readonly [path: string, body: unknown, token: string])[] = [
    [pathOf(key, "answer"), granted, reading],
    [`${INBOX}/seen`, { all: true }, reading],
    [pathOf(key, "answer"), { ...granted, optionId: "ever" }, answering],
    [pathOf(key, "prompt"), { text: "more" }, answering],
    [pathOf(key, "cancel"), { runId: "any" }, answering],
    [`/v1/machine/sessions/${encodeURIComponent(key)}/rename`, { title: "x" }, answering],
    [`/v1/machine/sessions/${encodeURIComponent(key)}/delete`, {}, answering],
    ["/v1/machine/preferences", { theme: "dark" }, answering],
  ];
  for (const [path, body, token] of refused) {
    expect([path, (await machine.post(path, body, token)).status]).toEqual([path, 403]);
  }
  expect((await machine.post(`${INBOX}/seen`, { keys: [key] }, answering)).status).toBe(200);
  expect((await machine.post(pathOf(key, "answer"), granted, answering)).status).toBe(200);
  await page.until(idle);
});
