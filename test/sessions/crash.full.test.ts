/**
 * A session whose process was killed can continue at once, although its lease lasts an hour; any other process keeps
 * its session.
 */

import { join } from "node:path";
import { type OpenedStore, openStore } from "@continuo/store";
import {
  cancelRun,
  executeRun,
  runnerOf,
  runOnce,
  startRun,
  startSession,
  wake,
} from "@continuo/store/sessions";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { type Child, startChild } from "../store/harness/lines.ts";

const HOLDER = join(import.meta.dirname, "processes/holder.ts");
const leaseMs = 3_600_000;

const folder = scratchFolder("crash");
let postgres: string;
beforeAll(async () => {
  postgres = await newPostgresDatabase();
  await (await openStore(postgres, { migrate: true })).close();
});

let count = 0;
const URLS = {
  sqlite: () => `sqlite:${join(folder, `${++count}.db`)}`,
  postgres: () => postgres,
} as const;

describe.each(["sqlite", "postgres"] as const)("on %s", { timeout: 120_000 }, (engine) => {
  let url: string;
  let store: OpenedStore;
  let sessionId: string;
  const children: Child[] = [];
  beforeEach(async () => {
    url = URLS[engine]();
    store = await openStore(url);
    ({ sessionId } = await startSession(store));
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map(kill));
    await store.close();
  });

  async function kill(child: Child): Promise<void> {
    child.process.kill("SIGKILL");
    await child.ended();
  }

  /** Returns the number of the run after it is in the log. */
  async function hold(
    input: string,
    prefix: readonly string[] = [],
  ): Promise<{ child: Child; runId: string }> {
    const [command = "", ...args] = [...prefix, process.execPath, HOLDER, url, sessionId, input];
    const child = startChild(args, command);
    children.push(child);
    return { child, runId: (await child.line("run ")).slice("run ".length) };
  }

  async function statusOf(runId: string): Promise<string | undefined> {
    return (await store.getRun(runId))?.status;
  }

  test("the next run begins, and ends the abandoned one", async () => {
    const { child, runId } = await hold("one");
    await child.line("runs");
    const held = await store.getLease(`session/${sessionId}`);
    await kill(child);
    const result = await runOnce(store, new EchoAgent(), "two", { sessionId, leaseMs });
    expect([result.status, await statusOf(runId)]).toEqual(["completed", "interrupted"]);
    await expect(store.renewLease(held ?? { name: "", token: 0 })).rejects.toMatchObject({ code: "fenced" });
    expect((await store.verify(sessionId)).ok).toBe(true);
  });

  test("wake offers the messages, and no process runs the session", async () => {
    const { child, runId } = await hold("one");
    await child.line("runs");
    expect(await runnerOf(store, sessionId)).toMatchObject({
      owner: expect.stringMatching(/^[0-9a-f-]{36}$/u),
    });
    await kill(child);
    expect(await runnerOf(store, sessionId)).toBeNull();
    expect(await wake(store, sessionId)).toMatchObject({
      interrupted: [runId],
      unprocessed: [{ runId }],
      heldBy: null,
    });
  });

  test("a run whose process ended can be cancelled", async () => {
    const { child, runId } = await hold("one");
    await child.line("runs");
    await kill(child);
    expect(await cancelRun(store, runId)).toMatchObject({ status: "cancelled" });
  });

  test("a waiting run whose process was killed is passed over", async () => {
    const { runId } = await startRun(store, sessionId, "one");
    const first = await store.acquireLease(`session/${sessionId}`, { owner: "another" });
    await store.acquireLease(`run/${runId}`, { owner: "another", ttlMs: leaseMs });
    const waiting = await hold("two");
    await expect.poll(() => store.getLease(`run/${waiting.runId}`), { timeout: 60_000 }).not.toBeNull();
    const third = await startRun(store, sessionId, "three");
    const over = executeRun(store, new EchoAgent(), third.runId, { leaseMs });
    await expect.poll(() => store.getLease(`run/${third.runId}`)).not.toBeNull();
    await kill(waiting.child);
    await cancelRun(store, runId);
    await store.releaseLease(first);
    expect(await over).toMatchObject({ status: "completed" });
    expect(await statusOf(waiting.runId)).toBe("pending");
    expect((await wake(store, sessionId)).interrupted).toEqual([waiting.runId]);
  });

  test("a process that was suspended keeps its session, and continues", async () => {
    const { child, runId } = await hold("one");
    await child.line("runs");
    child.process.kill("SIGSTOP");
    expect(await wake(store, sessionId)).toMatchObject({
      interrupted: [],
      heldBy: { owner: expect.any(String) },
    });
    child.process.kill("SIGCONT");
    expect(await statusOf(runId)).toBe("running");
  });

  test("a process of another PID namespace keeps its session while its lease lasts, even if it was killed", async () => {
    const asRoot = process.getuid?.() === 0 ? [] : ["--map-root-user"];
    const { child, runId } = await hold("one", [
      "unshare",
      "--pid",
      "--fork",
      "--mount-proc",
      "--kill-child",
      ...asRoot,
    ]);
    await child.line("runs");
    expect(await wake(store, sessionId)).toMatchObject({
      interrupted: [],
      heldBy: { owner: expect.any(String) },
    });
    await kill(child);
    expect(await wake(store, sessionId)).toMatchObject({
      interrupted: [],
      heldBy: { owner: expect.any(String) },
    });
    expect(await statusOf(runId)).toBe("running");
  });
});
