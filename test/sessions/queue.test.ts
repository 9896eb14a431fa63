import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Run } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { executeRun, runOnce, startRun, startSession } from "@continuo/store/sessions";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EchoAgent, ScriptedAgent } from "../../packages/store/src/testing/index.ts";
import { withCalls } from "../intercepted.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { eventsOf } from "./harness/log.ts";

const STARTER = await bundledProgram("test/sessions/processes/starter.ts");

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(() => store.close());

async function orderOf(sessionId: string): Promise<readonly string[]> {
  const events = await eventsOf(store, sessionId);
  return events
    .filter(({ type }) => type === "message_sent" || (type.startsWith("run_") && type !== "run_created"))
    .map(({ type, data }) =>
      type === "message_sent" ? ((data as { content: { text: string }[] }).content[0]?.text ?? "") : type,
    );
}

describe("runs of one session", () => {
  test("run one at a time, in the order in which they were started, in whatever order they are executed", async () => {
    const { sessionId } = await startSession(store);
    const runs: Run[] = [];
    for (const input of ["a", "b", "c", "d"]) runs.push(await startRun(store, sessionId, input));
    const results = await Promise.all(
      runs.toReversed().map(({ runId }) => executeRun(store, new EchoAgent(), runId)),
    );
    expect(results.map(({ status, text }) => [status, text])).toEqual(
      ["d", "c", "b", "a"].map((text) => ["completed", text]),
    );
    expect(await orderOf(sessionId)).toEqual(
      ["a", "b", "c", "d"].flatMap((input) => ["run_started", input, "run_completed"]),
    );
  });

  test("wait up to a limit, beyond which they are refused and leave no event", async () => {
    const { sessionId } = await startSession(store);
    for (const input of ["a", "b"]) await startRun(store, sessionId, input, { maxQueued: 2 });
    await expect(startRun(store, sessionId, "c", { maxQueued: 2 })).rejects.toMatchObject({
      code: "too_many_runs",
      details: { sessionId, limit: 2 },
    });
    expect((await store.listRuns({ sessionId })).items).toHaveLength(2);
  });

  test("that find room at the same time do not exceed the limit together", async () => {
    const { sessionId } = await startSession(store);
    const started = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => startRun(store, sessionId, `${n}`, { maxQueued: 3 })),
    );
    expect(started.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    const { items } = await store.listRuns({ sessionId, status: "pending" });
    expect(items).toHaveLength(3);
  });

  test.each(["somebody waits with", "that no process waits with yet"])(
    "wait for an earlier one that %s, however often they check",
    async (who) => {
      const { sessionId } = await startSession(store);
      const earlier = await startRun(store, sessionId, "earlier");
      const place = `run/${earlier.runId}`;
      const lease = who === "somebody waits with" ? await store.acquireLease(place, { owner: "x" }) : null;
      const later = await startRun(store, sessionId, "later");
      let looks = 0;
      const looking = withCalls(store, ({ method, args, proceed }) => {
        if (method === "getLease" && args[0] === place) looks++;
        return proceed();
      });
      const ended = executeRun(looking, new EchoAgent(), later.runId, { leaseMs: 3_600_000 });
      const statusOf = async (): Promise<string | undefined> => (await store.getRun(later.runId))?.status;
      // The time is long enough to take a turn out of order.
      await expect.poll(async () => looks >= 3 || (await statusOf()) !== "pending").toBe(true);
      expect(await statusOf()).toBe("pending");
      if (lease !== null) await store.releaseLease(lease);
      await executeRun(store, new EchoAgent(), earlier.runId);
      expect(await ended).toMatchObject({ status: "completed" });
      expect(await orderOf(sessionId)).toEqual(
        ["earlier", "later"].flatMap((input) => ["run_started", input, "run_completed"]),
      );
    },
  );

  test("are not blocked by one that no process executes", async () => {
    const { sessionId } = await startSession(store);
    await startRun(store, sessionId, "nobody's");
    const result = await runOnce(store, new EchoAgent(), "mine", { sessionId, leaseMs: 100 });
    expect(result.status).toBe("completed");
    expect(await orderOf(sessionId)).toEqual(["run_started", "mine", "run_completed"]);
  });

  test("are not blocked by one whose process has ended, however long their own leases last", async () => {
    const { sessionId } = await startSession(store);
    const child = spawn(process.execPath, [STARTER], { stdio: ["pipe", "pipe", "inherit"] });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { actor } = JSON.parse(line.toString());
    child.kill("SIGKILL");
    await once(child, "exit");
    // A real process would have written this into the same store.
    const run = { runId: "left", input: [{ type: "text", text: "lost" }] };
    await store.append(sessionId, [{ type: "run_created", data: run, runId: run.runId, actor }], {
      also: [{ type: "new_run", run }],
    });
    const result = await runOnce(store, new EchoAgent(), "mine", { sessionId, leaseMs: 3_600_000 });
    expect(result.status).toBe("completed");
    expect(await orderOf(sessionId)).toEqual(["run_started", "mine", "run_completed"]);
  });

  test("keep the session however long they take, because the lease is renewed", async () => {
    const { sessionId } = await startSession(store);
    // A process that is not scheduled for so long loses its session, which another test covers.
    const leaseMs = 3_000;
    let second: ReturnType<typeof runOnce> | undefined;
    const name = `session/${sessionId}`;
    const agent = new ScriptedAgent({
      turns: [[{ hook: "queue" }, { say: "done" }]],
      hooks: {
        queue: async () => {
          const given = Date.parse((await store.getLease(name))?.expiresAt ?? "");
          second = runOnce(store, new EchoAgent(), "two", { sessionId, leaseMs });
          // A waiting process checks three times in that time.
          await expect.poll(() => Date.now()).toBeGreaterThan(given + leaseMs / 2.5);
          expect(Date.parse((await store.getLease(name))?.expiresAt ?? "")).toBeGreaterThan(given);
        },
      },
    });
    await runOnce(store, agent, "one", { sessionId, leaseMs });
    expect(await second).toMatchObject({ status: "completed" });
    expect(await orderOf(sessionId)).toEqual(
      ["one", "two"].flatMap((input) => ["run_started", input, "run_completed"]),
    );
  });

  test("end the run of a process that ended before they begin", async () => {
    const { sessionId } = await startSession(store);
    const gone = await startRun(store, sessionId, "lost");
    await store.transitionRun(gone.runId, { to: "running", owner: "gone" });
    const agent = new ScriptedAgent();
    await runOnce(store, agent, "next", { sessionId });
    expect(await store.getRun(gone.runId)).toMatchObject({ status: "interrupted" });
    expect(agent.given[0]?.transcript).toEqual([
      "user: lost",
      "user: [The run was interrupted before it ended: the process that ran it ended]",
    ]);
  });
});

test("a run that waits for room in its process is marked in the store as waiting with a process", async () => {
  const second = await startRun(store, (await startSession(store)).sessionId, "two");
  let waiting: Promise<unknown> | undefined;
  const hooks = {
    wait: async () => {
      waiting = executeRun(store, new EchoAgent(), second.runId, { maxParallel: 1 });
      await expect.poll(() => store.getLease(`run/${second.runId}`)).not.toBeNull();
    },
  };
  await runOnce(store, new ScriptedAgent({ turns: [[{ hook: "wait" }]], hooks }), "one", { maxParallel: 1 });
  expect(await waiting).toMatchObject({ status: "completed" });
});

test("a run that is cancelled while it waits for room in its process ends before there is room", async () => {
  const second = await startRun(store, (await startSession(store)).sessionId, "two");
  const stop = new AbortController();
  let result: unknown;
  const hooks = {
    wait: async () => {
      const options = { maxParallel: 1, signal: stop.signal };
      const waiting = executeRun(store, new EchoAgent(), second.runId, options);
      await expect.poll(() => store.getLease(`run/${second.runId}`)).not.toBeNull();
      stop.abort();
      result = await waiting;
    },
  };
  await runOnce(store, new ScriptedAgent({ turns: [[{ hook: "wait" }]], hooks }), "one", { maxParallel: 1 });
  expect(result).toMatchObject({ status: "cancelled" });
});

test("a run that is cancelled while it waits for room leaves the room to the next one", async () => {
  const [second, third] = [
    await startRun(store, (await startSession(store)).sessionId, "two"),
    await startRun(store, (await startSession(store)).sessionId, "three"),
  ];
  const stop = new AbortController();
  const ended: string[] = [];
  const hooks = {
    wait: async () => {
      const waits = async ({ runId }: Run, more: { readonly signal?: AbortSignal } = {}): Promise<void> => {
        void executeRun(store, new EchoAgent(), runId, { maxParallel: 1, ...more }).then(({ status }) =>
          ended.push(status),
        );
        await expect.poll(() => store.getLease(`run/${runId}`)).not.toBeNull();
      };
      await waits(second, { signal: stop.signal });
      await waits(third);
      stop.abort();
      await expect.poll(() => ended).toEqual(["cancelled"]);
    },
  };
  await runOnce(store, new ScriptedAgent({ turns: [[{ hook: "wait" }]], hooks }), "one", { maxParallel: 1 });
  await expect.poll(() => ended, { timeout: 30_000 }).toEqual(["cancelled", "completed"]);
});

test("runs of different sessions run at the same time, up to a limit", async () => {
  let running = 0;
  let most = 0;
  const step = Promise.withResolvers<void>();
  const hooks = {
    begin: async () => {
      most = Math.max(most, ++running);
      if (running === 3) step.resolve();
      await step.promise;
    },
    end: () => {
      running--;
    },
  };
  const agent = (): ScriptedAgent =>
    new ScriptedAgent({ turns: [[{ hook: "begin" }, { say: "x" }, { hook: "end" }]], hooks });
  const results = await Promise.all(
    Array.from({ length: 9 }, () => runOnce(store, agent(), "go", { maxParallel: 3 })),
  );
  expect(results.map(({ status }) => status)).toEqual(Array(9).fill("completed"));
  expect(most).toBe(3);
});

test("a signal that is aborted before a run begins cancels it, also a run that another process started", async () => {
  const { sessionId } = await startSession(store);
  const { runId } = await store.createRun({ sessionId, input: [{ type: "text", text: "go" }] });
  const ended = await executeRun(store, new EchoAgent(), runId, { signal: AbortSignal.abort() });
  expect(ended).toMatchObject({ status: "cancelled", resumption: null });
  expect(await store.getLease(`run/${runId}`)).toBeNull();
});
