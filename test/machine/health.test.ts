/** The machine's report on the store of Continuo's own sessions. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { createTalkHome } from "../cli/talk.ts";
import { EDITS, idle, ownSession, pathOf, readChat, storeOf } from "./open-chat.ts";
import { openMachine } from "./open-machine.ts";

const HEALTH = "/v1/machine/health";

test("a turn of this server runs under its lease, one whose process ended is of nobody, and prompts that wait are counted", async () => {
  const home = createTalkHome({ prompts: EDITS });
  const key = await ownSession(home, "asked");
  const left = await ownSession(home, "left");
  const sessionId = left.slice("continuo:".length);
  await using store = await openStore(storeOf(home));
  await store.createRun({ sessionId, runId: "left", input: [{ type: "text", text: "x" }], agent: "robot" });
  await store.append(sessionId, [{ type: "run_started", data: { runId: "left" }, runId: "left" }], {
    also: [{ type: "run", runId: "left", to: "running" }],
  });
  await using machine = await openMachine(home);
  await using page = await readChat(machine, key);
  await machine.post(pathOf(key, "prompt"), { text: "edit it" });
  await page.until(({ state }) => state?.questions.length === 1);
  await machine.post(pathOf(key, "prompt"), { text: "next" });
  const health = await machine.json(HEALTH);
  expect(health).toMatchObject({
    waiting: 1,
    conversations: 1,
    store: { engine: "sqlite", sessions: 2, runs: 3 },
  });
  expect(health.running).toEqual([
    expect.objectContaining({ key: left, title: "left", runner: "nobody", leaseUntil: null }),
    expect.objectContaining({
      key,
      title: "asked",
      agent: "robot",
      runner: "this server",
      leaseUntil: expect.any(String),
    }),
  ]);
  const [question] = page.state?.questions ?? [];
  const by = { id: "test", name: "a test" };
  await machine.post(pathOf(key, "answer"), {
    approvalId: question?.approvalId,
    outcome: "denied",
    page: by,
  });
  await page.until(idle);
  expect(await machine.json(HEALTH)).toMatchObject({ waiting: 0, running: [{ key: left }] });
});

test("asking makes no store, and needs a token that may read", async () => {
  await using machine = await openMachine(createTalkHome());
  expect(await machine.json(HEALTH)).toEqual({ store: null, running: [], waiting: 0, conversations: 0 });
  expect(existsSync(join(machine.home.path, ".continuo/continuo.db"))).toBe(false);
  expect((await machine.get(HEALTH, await machine.token(["sessions:read"]))).status).toBe(403);
});
