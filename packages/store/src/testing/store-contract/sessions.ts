/** Sessions and runs, and the events that are written with them. */

import assert from "node:assert/strict";
import { listAll, type NewRun, type RunStatus, type Write } from "@continuo/core/model";
import { type ContractCase, newLog, readAll, rejects, said } from "./case.ts";

export const sessionCases: readonly ContractCase[] = [
  {
    name: "createSession makes the session, its log and its first event",
    run: async ({ store }) => {
      const session = await store.createSession({
        sessionId: "s",
        title: "T",
        agent: "claude",
        cwd: "/x",
        metadata: { a: 1 },
      });
      const { createdAt, updatedAt, lastActivityAt, activityOrder: _order, ...rest } = session;
      assert.deepEqual(rest, {
        sessionId: "s",
        status: "open",
        title: "T",
        agent: "claude",
        cwd: "/x",
        parentId: null,
        metadata: { a: 1 },
      });
      assert.equal(createdAt, updatedAt);
      assert.ok(lastActivityAt >= createdAt);
      assert.deepEqual(await store.getSession("s"), session);
      const [event] = await readAll(store, "s");
      assert.deepEqual(
        [event?.type, event?.data, event?.invalid],
        ["session_created", { title: "T", agent: "claude", cwd: "/x", metadata: { a: 1 } }, undefined],
      );
    },
  },
  {
    name: "a session's id is a log's id: taken once",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s" });
      await rejects("conflict", store.createSession({ sessionId: "s" }));
      await store.createLog({ logId: "l" });
      await rejects("conflict", store.createSession({ sessionId: "l" }));
      assert.equal(await store.getSession("l"), null);
      assert.equal(await store.getSession("none"), null);
    },
  },
  {
    name: "updateSession changes only the given fields, together with an event",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s", title: "T", metadata: { keep: 1, drop: 2, change: 3 } });
      const patch = {
        status: "closed",
        title: null,
        metadata: { drop: null, change: { deep: 4 }, add: [5] },
      };
      const session = await store.updateSession("s", patch);
      assert.deepEqual(
        [session.status, session.title, session.metadata],
        ["closed", null, { keep: 1, change: { deep: 4 }, add: [5] }],
      );
      const [, event] = await readAll(store, "s");
      assert.deepEqual([event?.type, event?.data, event?.invalid], ["session_updated", patch, undefined]);
      await rejects("not_found", store.updateSession("none", { title: "x" }));
    },
  },
  {
    name: "a session can be changed by an append to its log",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s" });
      await store.append("s", [said("hi")], {
        also: [{ type: "session", patch: { title: "hi", metadata: { n: 1 } } }],
      });
      const session = await store.getSession("s");
      assert.deepEqual([session?.title, session?.metadata], ["hi", { n: 1 }]);
    },
  },
  {
    name: "changes of one session at the same time are all kept",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s" });
      await Promise.all(
        Array.from({ length: 8 }, (_, n) => store.updateSession("s", { metadata: { [`k${n}`]: n } })),
      );
      assert.equal(Object.keys((await store.getSession("s"))?.metadata ?? {}).length, 8);
      assert.equal(await store.latestSequence("s"), 9);
    },
  },
  {
    name: "listSessions: newest change first, by status, agent, cwd and prefix, page by page",
    run: async ({ store }) => {
      for (const n of [1, 2, 3]) {
        await store.createSession({ sessionId: `s${n}`, agent: n === 2 ? "pi" : "claude", cwd: `/${n}` });
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
      await store.updateSession("s1", { status: "done" });
      const ids = async (options: object): Promise<readonly string[]> =>
        (await store.listSessions(options)).items.map((session) => session.sessionId);
      assert.deepEqual(await ids({}), ["s1", "s3", "s2"]);
      assert.deepEqual(await ids({ agent: "claude" }), ["s1", "s3"]);
      assert.deepEqual(await ids({ status: "done" }), ["s1"]);
      assert.deepEqual(await ids({ cwd: "/2" }), ["s2"]);
      assert.deepEqual(await ids({ prefix: "s3" }), ["s3"]);
      const { nextCursor } = await store.listSessions({ limit: 2 });
      assert.deepEqual(await ids({ limit: 2, cursor: nextCursor ?? "" }), ["s2"]);
    },
  },
  {
    name: "listSessions by metadata: exact pairs at the top, page by page, together with other filters",
    run: async ({ store }) => {
      const sessions: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
        a: { user: "ann", plan: 1 },
        b: { user: "Ann" },
        c: { nested: { user: "ann" } },
        d: { user: "ann", "100%_\\": "ü\u0000" },
        e: { note: '"user":"ann"', vip: true },
        f: { user: "ann", plan: 12 },
        g: {},
      };
      for (const [sessionId, metadata] of Object.entries(sessions)) {
        await store.createSession({ sessionId, metadata, ...(sessionId === "f" ? { agent: "pi" } : {}) });
      }
      const ids = async (options: object): Promise<readonly string[]> =>
        (await Array.fromAsync(listAll((place) => store.listSessions({ ...options, ...place }))))
          .map(({ sessionId }) => sessionId)
          .sort();
      assert.deepEqual(await ids({ metadata: { user: "ann" } }), ["a", "d", "f"]);
      assert.deepEqual(await ids({ metadata: { user: "ann" }, limit: 1 }), ["a", "d", "f"]);
      assert.deepEqual(await ids({ metadata: { user: "ann" }, agent: "pi" }), ["f"]);
      assert.deepEqual(await ids({ metadata: { user: "ann", plan: 1 } }), ["a"]);
      assert.deepEqual(await ids({ metadata: { "100%_\\": "ü\u0000" } }), ["d"]);
      assert.deepEqual(await ids({ metadata: { vip: true } }), ["e"]);
      assert.deepEqual(await ids({ metadata: { toString: "x" } }), []);
      assert.equal((await ids({ metadata: {} })).length, 7);
      await store.updateSession("g", { metadata: { user: "ann" } });
      await store.updateSession("a", { metadata: { user: null } });
      assert.deepEqual(await ids({ metadata: { user: "ann" } }), ["d", "f", "g"]);
      for (const value of [null, { a: 1 }, Number.NaN, undefined]) {
        await rejects("invalid", store.listSessions({ metadata: { user: value as never } }));
      }
    },
  },
  {
    name: "deleteSession also deletes its log, runs, cursors and snapshots",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s" });
      await store.createRun({ sessionId: "s", runId: "r" });
      await store.deleteSession("s", { reason: "asked to" });
      assert.deepEqual(
        [await store.getSession("s"), await store.getLog("s"), await store.getRun("r")],
        [null, null, null],
      );
      assert.equal((await store.listDeletedLogs({ logId: "s" })).items[0]?.reason, "asked to");
      await rejects("not_found", store.deleteSession("s"));
      await store.createSession({ sessionId: "s" });
    },
  },
  {
    name: "a session's log can be forked",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s" });
      await store.append("s", [said("hi")]);
      const fork = await store.forkLog("s", 2);
      await store.deleteSession("s");
      assert.equal((await readAll(store, fork.logId)).length, 2);
    },
  },
];

const ENDS: readonly RunStatus[] = ["completed", "failed", "cancelled", "timeout", "interrupted"];

export const runCases: readonly ContractCase[] = [
  {
    name: "createRun makes a pending run and journals its input",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s" });
      const run = await store.createRun({
        sessionId: "s",
        runId: "r",
        input: [{ type: "text" }],
        agent: "pi",
        metadata: { m: 1 },
      });
      const { createdAt: _, ...rest } = run;
      assert.deepEqual(rest, {
        runId: "r",
        sessionId: "s",
        status: "pending",
        agent: "pi",
        owner: null,
        input: [{ type: "text" }],
        result: null,
        error: null,
        metadata: { m: 1 },
        startedAt: null,
        endedAt: null,
      });
      assert.deepEqual(await store.getRun("r"), run);
      const event = (await readAll(store, "s")).at(-1);
      assert.deepEqual([event?.type, event?.runId], ["run_created", "r"]);
      assert.deepEqual(event?.data, {
        runId: "r",
        input: [{ type: "text" }],
        agent: "pi",
        metadata: { m: 1 },
      });
    },
  },
  {
    name: "a run needs a session, and an id of its own",
    run: async ({ store }) => {
      await rejects("not_found", store.createRun({ sessionId: "none" }));
      await rejects("not_found", store.createRun({ sessionId: await newLog(store) }));
      await store.createSession({ sessionId: "s" });
      await store.createRun({ sessionId: "s", runId: "r" });
      await rejects("conflict", store.createRun({ sessionId: "s", runId: "r" }));
      assert.equal(await store.latestSequence("s"), 2);
    },
  },
  ...ENDS.map(
    (end): ContractCase => ({
      name: `a run that is running can end as ${end}, once, with an event`,
      run: async ({ store }) => {
        await store.createSession({ sessionId: "s" });
        const { runId } = await store.createRun({ sessionId: "s" });
        const running = await store.transitionRun(runId, { to: "running", owner: "me" });
        assert.deepEqual([running.status, running.owner, running.endedAt], ["running", "me", null]);
        assert.ok(running.startedAt !== null);
        const ended = await store.transitionRun(runId, { to: end, result: { n: 1 }, error: "e" });
        assert.deepEqual([ended.status, ended.result, ended.error], [end, { n: 1 }, "e"]);
        assert.ok(ended.endedAt !== null);
        for (const to of [...ENDS, "running", "pending"] as const) {
          await rejects("invalid_transition", store.transitionRun(runId, { to }));
        }
        const types = (await readAll(store, "s")).map((event) => event.type);
        const last = end === "timeout" ? "run_timed_out" : `run_${end}`;
        assert.deepEqual(types, ["session_created", "run_created", "run_started", last]);
      },
    }),
  ),
  {
    name: "a pending run can only be started, cancelled or interrupted",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s" });
      for (const to of ["cancelled", "interrupted"] as const) {
        const { runId } = await store.createRun({ sessionId: "s" });
        for (const bad of ["completed", "failed", "timeout", "pending"] as const) {
          const error = await rejects("invalid_transition", store.transitionRun(runId, { to: bad }));
          assert.equal(error.details.from, "pending");
        }
        assert.equal((await store.transitionRun(runId, { to })).status, to);
      }
      await rejects("not_found", store.transitionRun("none", { to: "running" }));
      const { runId } = await store.createRun({ sessionId: "s" });
      await rejects("invalid", store.transitionRun(runId, { to: "paused" as never }));
    },
  },
  {
    name: "if many callers end a run at once, one succeeds",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s" });
      const { runId } = await store.createRun({ sessionId: "s" });
      await store.transitionRun(runId, { to: "running" });
      const results = await Promise.allSettled(ENDS.map((to) => store.transitionRun(runId, { to })));
      assert.equal(results.filter((result) => result.status === "fulfilled").length, 1);
      assert.equal(await store.latestSequence("s"), 4);
    },
  },
  {
    name: "a transition with an older lease is fenced",
    run: async ({ store }) => {
      await store.createSession({ sessionId: "s" });
      const { runId } = await store.createRun({ sessionId: "s" });
      const lease = await store.acquireLease("s", { owner: "a" });
      await store.transitionRun(runId, { to: "running", lease });
      await store.releaseLease(lease);
      await store.acquireLease("s", { owner: "b" });
      await rejects("fenced", store.transitionRun(runId, { to: "completed", lease }));
      assert.equal((await store.getRun(runId))?.status, "running");
    },
  },
  {
    name: "claimNextRun starts pending runs first in, first out, one at a time per session",
    run: async ({ store }) => {
      for (const sessionId of ["s", "t"]) await store.createSession({ sessionId });
      for (const [sessionId, runId] of [
        ["s", "s1"],
        ["s", "s2"],
        ["t", "t1"],
      ] as const) {
        await store.createRun({ sessionId, runId });
      }
      const claim = async (): Promise<string | undefined> =>
        (await store.claimNextRun({ owner: "me" }))?.runId;
      assert.deepEqual([await claim(), await claim(), await claim()], ["s1", "t1", undefined]);
      await store.transitionRun("s1", { to: "failed" });
      assert.deepEqual([await claim(), await claim()], ["s2", undefined]);
      assert.equal((await store.getRun("s2"))?.owner, "me");
    },
  },
  {
    name: "claimNextRun takes the most urgent of the runs that are first in their sessions",
    run: async ({ store }) => {
      for (const [sessionId, runId, priority] of [
        ["a", "a1", undefined],
        ["b", "b1", 0],
        ["c", "c1", -1],
        ["d", "d1", 7],
        ["d", "d2", 9],
        ["e", "e1", 8],
        ["f", "f1", 8],
        ["c", "c2", 100],
      ] as const) {
        if (runId.endsWith("1")) await store.createSession({ sessionId });
        await store.createRun({ sessionId, runId, ...(priority === undefined ? {} : { priority }) });
      }
      const taken: (string | undefined)[] = [];
      for (let n = 0; n < 7; n++) taken.push((await store.claimNextRun({ owner: "me" }))?.runId);
      assert.deepEqual(taken, ["e1", "f1", "d1", "a1", "b1", "c1", undefined]);
      await store.transitionRun("c1", { to: "failed" });
      await store.transitionRun("d1", { to: "failed" });
      assert.equal((await store.claimNextRun({ owner: "me" }))?.runId, "c2");
      const priorities = await Promise.all(
        ["a1", "b1", "c1", "e1"].map(async (runId) => (await store.getRun(runId))?.priority),
      );
      assert.deepEqual(priorities, [undefined, undefined, -1, 8]);
      const created = await store.read("e", { types: ["run_created"] });
      assert.deepEqual(created.events[0]?.data, { runId: "e1", priority: 8 });
      for (const priority of [101, -101, 0.5, Number.NaN, "high" as never]) {
        await rejects("invalid", store.createRun({ sessionId: "a", priority }));
      }
    },
  },
  {
    name: "claimNextRun gives a run the place of an earlier run, and later runs wait until it can begin",
    run: async ({ store }) => {
      for (const sessionId of ["s", "t"]) await store.createSession({ sessionId });
      for (const runId of ["1", "2", "3"]) await store.createRun({ sessionId: "s", runId });
      const claim = async (): Promise<string | undefined> =>
        (await store.claimNextRun({ owner: "me" }))?.runId;
      const queue = async (options: object): Promise<readonly string[]> => {
        const { items } = await store.listRuns({ sessionId: "s", status: "pending", ...options });
        return items.map(({ runId }) => runId);
      };
      assert.equal(await claim(), "1");
      const again: NewRun = { runId: "1b", placeOf: "1" };
      await store.append("s", [], {
        also: [
          { type: "run", runId: "1", to: "failed" },
          { type: "new_run", run: again },
        ],
      });
      assert.deepEqual(
        [await queue({}), await queue({ order: "queue" })],
        [
          ["2", "3", "1b"],
          ["1b", "2", "3"],
        ],
      );
      const { nextCursor } = await store.listRuns({ status: "pending", order: "queue", limit: 1 });
      assert.deepEqual(await queue({ order: "queue", cursor: nextCursor ?? "" }), ["2", "3"]);
      assert.deepEqual([await claim(), await claim()], ["1b", undefined]);
      await store.transitionRun("1b", { to: "failed" });
      // The place is that of the first run, also after several attempts, and is no place in another session.
      const late = await store.createRun({ sessionId: "s", runId: "1c", placeOf: "1b", delayMs: 3_600_000 });
      assert.equal(Date.parse(late.notBefore ?? "") - Date.parse(late.createdAt), 3_600_000);
      await store.createRun({ sessionId: "t", runId: "t1" });
      await store.createRun({ sessionId: "t", runId: "t2", placeOf: "1", delayMs: 0 });
      assert.deepEqual([await claim(), await claim()], ["t1", undefined]);
      await store.transitionRun("1c", { to: "cancelled" });
      assert.deepEqual([await claim(), await claim()], ["2", undefined]);
      await store.transitionRun("t1", { to: "failed" });
      assert.deepEqual([await claim(), (await store.getRun("2"))?.notBefore], ["t2", undefined]);
      for (const delayMs of [-1, 0.5, Number.NaN, "1" as never]) {
        await rejects("invalid", store.createRun({ sessionId: "s", delayMs }));
      }
      await rejects("invalid", store.listRuns({ order: "newest" as never }));
    },
  },
  {
    name: "the owner of a claimed run sets its metadata without a second beginning, and nobody else can",
    run: async ({ store }) => {
      const { sessionId } = await store.createSession({ sessionId: "s" });
      const { runId } = await store.createRun({ sessionId });
      const claimed = await store.claimNextRun({ owner: "me" });
      assert.equal(claimed?.metadata.claimed, true);
      const patchOf = (owner?: string) =>
        ({
          type: "run",
          runId,
          to: "running",
          patch: { owner, metadata: { claimed: null, by: "me" } },
        }) as const;
      await rejects("invalid_transition", store.append(sessionId, [], { also: [patchOf("you") as Write] }));
      await rejects("invalid_transition", store.append(sessionId, [], { also: [patchOf() as Write] }));
      await store.append(sessionId, [], { also: [patchOf("me") as Write] });
      const run = await store.getRun(runId);
      assert.deepEqual(
        [run?.status, run?.metadata, run?.startedAt],
        ["running", { by: "me" }, claimed.startedAt],
      );
      await rejects("invalid_transition", store.transitionRun(runId, { to: "running", owner: "me" }));
    },
  },
  {
    name: "claimNextRun chooses by session and by agent",
    run: async ({ store }) => {
      for (const sessionId of ["s", "t"]) await store.createSession({ sessionId });
      await store.createRun({ sessionId: "s", runId: "s1", agent: "pi" });
      await store.createRun({ sessionId: "t", runId: "t1", agent: "codex" });
      assert.equal(await store.claimNextRun({ owner: "me", agents: ["gemini"] }), null);
      assert.equal((await store.claimNextRun({ owner: "me", agents: ["codex"] }))?.runId, "t1");
      assert.equal(await store.claimNextRun({ owner: "me", sessionId: "t" }), null);
      assert.equal((await store.claimNextRun({ owner: "me", sessionId: "s" }))?.runId, "s1");
    },
  },
  {
    name: "many callers that claim at the same time start every run once",
    run: async ({ store }) => {
      const runs = await Promise.all(
        Array.from({ length: 6 }, async (_, n) => {
          await store.createSession({ sessionId: `s${n}` });
          return store.createRun({ sessionId: `s${n}`, runId: `r${n}` });
        }),
      );
      const claims = await Promise.all(
        Array.from({ length: 12 }, (_, n) => store.claimNextRun({ owner: `o${n}` })),
      );
      const started = claims.flatMap((run) => (run === null ? [] : [run.runId]));
      assert.deepEqual(started.sort(), runs.map((run) => run.runId).sort());
    },
  },
  {
    name: "listRuns: oldest first, by session, status and owner, page by page",
    run: async ({ store }) => {
      for (const sessionId of ["s", "t"]) await store.createSession({ sessionId });
      for (const runId of ["3", "1", "2"])
        await store.createRun({ sessionId: runId === "1" ? "t" : "s", runId });
      await store.claimNextRun({ owner: "me", sessionId: "s" });
      const ids = async (options: object): Promise<readonly string[]> =>
        (await store.listRuns(options)).items.map((run) => run.runId);
      assert.deepEqual(await ids({}), ["3", "1", "2"]);
      assert.deepEqual(await ids({ sessionId: "s" }), ["3", "2"]);
      assert.deepEqual(await ids({ status: "pending" }), ["1", "2"]);
      assert.deepEqual(await ids({ status: ["pending", "running"] }), ["3", "1", "2"]);
      assert.deepEqual(await ids({ owner: "me" }), ["3"]);
      const { nextCursor } = await store.listRuns({ limit: 2 });
      assert.deepEqual(await ids({ limit: 2, cursor: nextCursor ?? "" }), ["2"]);
    },
  },
];
