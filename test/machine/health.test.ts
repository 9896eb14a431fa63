/** The machine's report on the store of Continuo's own sessions. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { createTalkHome } from "../cli/talk.ts";
import { EDITS, idle, ownSession, pathOf, readChat, storeOf } from "./open-chat.ts";
import { openMachine } from "./open-machine.ts";

const HEALTH = "/v1/machine/health";

test("a turn of this server runs under its lease, one of another process is not, one whose process ended is of nobody, and prompts that wait are counted", async () => {
  const home = createTalkHome({ prompts: EDITS });
  const key = await ownSession(home, "asked");
  const left = await ownSession(home, "left");
  const elsewhere = await ownSession(home, "elsewhere");
  await using store = await openStore(storeOf(home));
  for (const [runId, name] of [
    ["left", left],
    ["elsewhere", elsewhere],
  ] as const) {
    const sessionId = name.slice("continuo:".length);
    await store.createRun({ sessionId, runId, input: [{ type: "text", text: "x" }], agent: "robot" });
    await store.append(sessionId, [{ type: "run_started", data: { runId }, runId }], {
      also: [{ type: "run", runId, to: "running" }],
    });
  }
  const lease = elsewhere.replace("continuo:", "session/");
  await store.acquireLease(lease, { owner: "another process", ttlMs: 600_000 });
  await using machine = await openMachine(home);
  await using page = await readChat(machine, key);
  await machine.post(pathOf(key, "prompt"), { text: "edit it" });
  await page.until(({ state }) => state?.questions.length === 1);
  await machine.post(pathOf(key, "prompt"), { text: "next" });
  const health = await machine.json(HEALTH);
  expect(health).toMatchObject({
    waiting: 1,
    conversations: 1,
    store: { engine: "sqlite", sessions: 3, runs: 4 },
  });
  expect(health.running).toEqual([
    expect.objectContaining({ key: left, title: "left", runner: "nobody", leaseUntil: null }),
    expect.objectContaining({ key: elsewhere, runner: "another process", leaseUntil: expect.any(String) }),
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
  expect(await machine.json(HEALTH)).toMatchObject({
    waiting: 0,
    running: [{ key: left }, { key: elsewhere }],
  });
});

test("the request creates no store, and needs a token that may read", async () => {
  await using machine = await openMachine(createTalkHome());
  expect(await machine.json(HEALTH)).toEqual({ store: null, running: [], waiting: 0, conversations: 0 });
  expect(existsSync(join(machine.home.path, ".continuo/continuo.db"))).toBe(false);
  expect((await machine.get(HEALTH, await machine.token(["sessions:read"]))).status).toBe(403);
});
