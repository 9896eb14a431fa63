/** The ids of a question that several attempts asked, each with a different id. */

import type { Agent, Store } from "@continuo/core/model";
import { type Approval, type Continuo, openContinuo } from "@continuo/server/runtime";
import { type OpenedStore, openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";

let store: OpenedStore;
const opened: Continuo[] = [];
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(async () => {
  for (const c of opened.splice(0)) await c.close({ graceMs: 0 });
  await store.close();
});

test.each(["before the next attempt asks", "after the next attempt has asked"])(
  "a question that is answered %s is resolved in the log for each event that asked it, and is found by the id of each",
  async (when) => {
    const away = await openContinuo(store as Store);
    opened.push(away);
    let attempts = 0;
    const answered = Promise.withResolvers<void>();
    /** Each attempt has a new id for its question, as coding agents do; the first two fail while a person is asked. */
    const flaky: Agent = {
      name: "flaky",
      async execute(_, { onEvent, onPermission, signal }) {
        attempts += 1;
        const attempt = attempts;
        if (attempt === 3) await answered.promise;
        const request = {
          approvalId: `asked-${attempt}`,
          toolName: "refund",
          toolInput: { order: "7" },
          readOnly: false,
          options: [],
        };
        await onEvent({ type: "permission_request", ...request });
        const asked = onPermission?.(request, { signal });
        if (attempt < 3) {
          await expect.poll(async () => (await away.approvals.get(request.approvalId))?.status).toBe("open");
          throw new Error("no power");
        }
        if (when.startsWith("after")) await away.approvals.resolve("asked-1", ANSWER);
        const decision = await asked;
        expect(decision).toMatchObject({ outcome: "granted", recorded: true });
        return {};
      },
    };
    const ANSWER = { outcome: "granted", by: "carla" } as const;
    const retry = { on: ["failed"], attempts: 3, backoffMs: 1 } as const;
    const c = await openContinuo(store as Store, {
      agents: [flaky],
      recover: "retry",
      pollMs: 20,
      onError: () => undefined,
      retry,
    });
    opened.push(c);
    const run = c.session("s", { create: true }).send("refund it", { id: "1" });
    await expect.poll(async () => (await away.store.listRuns({ status: "failed" })).items).toHaveLength(2);
    const open = await away.approvals.list({ status: "open" });
    expect(open).toHaveLength(1);
    const [approval] = open;
    expect(await away.approvals.get("asked-1")).toMatchObject({ id: approval?.id });
    if (when.startsWith("before")) await away.approvals.resolve("asked-1", ANSWER);
    answered.resolve();
    expect(await run.result()).toMatchObject({ status: "completed" });
    const told: (readonly [type: string, approvalId: string, by: string | undefined])[] = [];
    for await (const event of c.session("s").run("1")) {
      if (event.type !== "approval_requested" && event.type !== "approval_resolved") continue;
      const { approvalId } = event.data;
      told.push([event.type, approvalId, event.actor.id]);
    }
    expect(told.filter(([type]) => type === "approval_resolved").toSorted()).toEqual(
      [1, 2, 3].map((attempt) => ["approval_resolved", `asked-${attempt}`, "carla"]),
    );
    const place = (type: string): number => told.findIndex(([one, id]) => one === type && id === "asked-3");
    expect(place("approval_requested")).toBeLessThan(place("approval_resolved"));
    expect(await away.approvals.list()).toMatchObject([{ id: approval?.id, status: "granted" }]);
  },
);

test("an id that a closed and an open question have names the open one, and the open ones are listed without the closed", async () => {
  await store.createSession({ sessionId: "s" });
  const c = await openContinuo(store as Store);
  opened.push(c);
  const request = { approvalId: "call-1", toolName: "refund", readOnly: false, options: [] };
  const ask = async (name: string): Promise<string> => {
    const { runId } = await store.createRun({
      sessionId: "s",
      input: [{ type: "text", text: name }],
      agent: "desk",
    });
    const data = { sessionId: "s", runId, agent: "desk", request, metadata: {}, requestedAt: "2026-05-15" };
    await store.putClaim({ name: `approval/${name}`, owner: runId, generation: 1, status: "open", data });
    return runId;
  };
  const ended = await ask("q1");
  await ask("q2");
  await store.transitionRun(ended, { to: "running" });
  await store.transitionRun(ended, { to: "failed" });
  // The process of the first run ended before it closed the question.
  expect((await c.approvals.list({ status: "open" })).map(({ id }) => id)).toEqual(["q2"]);
  expect((await c.approvals.list()).map(({ id, status }) => [id, status])).toEqual([
    ["q1", "cancelled"],
    ["q2", "open"],
  ]);
  expect(await c.approvals.get("call-1")).toMatchObject({ id: "q2", status: "open" });
});

/** Two questions, of Ann and of Ben, that nobody answered before their runs ended. */
async function askedInEndedRuns(): Promise<Continuo> {
  await store.createSession({ sessionId: "s" });
  const c = await openContinuo(store as Store);
  opened.push(c);
  const request = { approvalId: "call", toolName: "refund", readOnly: false, options: [] };
  for (const by of ["ann", "ben"]) {
    const { runId } = await store.createRun({ sessionId: "s", input: "refund it", agent: "desk" });
    const metadata = { by };
    const data = { sessionId: "s", runId, agent: "desk", request, metadata, requestedAt: "2026-05-15" };
    await store.putClaim({ name: `approval/${by}`, owner: runId, generation: 1, status: "open", data });
    await store.transitionRun(runId, { to: "running" });
    await store.transitionRun(runId, { to: "failed" });
  }
  return c;
}

async function storedStatuses(): Promise<readonly (string | undefined)[]> {
  const stored = await Promise.all(["ann", "ben"].map((by) => store.getClaim(`approval/${by}`)));
  return stored.map((claim) => claim?.status);
}

test("a list of approvals with a filter changes no question that the filter leaves out", async () => {
  const c = await askedInEndedRuns();
  const ofAnn = await c.approvals.list({ filter: ({ metadata }) => metadata.by === "ann" });
  expect(ofAnn.map(({ id, status }) => [id, status])).toEqual([["ann", "cancelled"]]);
  expect(await storedStatuses()).toEqual(["cancelled", "open"]);
});

test("a filter that wants cancelled approvals receives the open questions of ended runs, too", async () => {
  const c = await askedInEndedRuns();
  const filter = ({ status, metadata }: Approval): boolean => status === "cancelled" && metadata.by === "ann";
  const ofAnn = await c.approvals.list({ filter });
  expect(ofAnn.map(({ id, status }) => [id, status])).toEqual([["ann", "cancelled"]]);
  expect(await storedStatuses()).toEqual(["cancelled", "open"]);
  expect(await c.approvals.list({ filter: ({ status }) => status === "granted" })).toEqual([]);
  expect(await storedStatuses()).toEqual(["cancelled", "open"]);
});
