/** Options that there are not: each call of the front door and of the session manager refuses them. */

import { allowEverybody, createServer, listen } from "@continuo/server";
import { type Continuo, defineAgent, openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { cancelRun, runOnce, startRun, wake, wakeAll } from "@continuo/store/sessions";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";

let c: Continuo;
beforeAll(async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent()] });
  await c.session("s", { create: true }).send("hello", { id: "1" }).result();
});
afterAll(() => c.close());

const server = () => createServer({ store: () => c.store, authenticate: allowEverybody("default") });
const session = () => c.session("s");
const CALLS: readonly (readonly [what: string, option: string, call: (options: never) => unknown])[] = [
  ["openContinuo", "recovery", (options) => openContinuo("memory:", options)],
  ["retry", "attempt", (options) => openContinuo("memory:", { retry: options })],
  ["session", "meta", (options) => c.session("s", options)],
  ["send", "runat", (options) => session().send("x", options)],
  ["events", "afters", (options) => Array.fromAsync(session().events(options))],
  ["toSSE", "afters", (options) => session().toSSE(options)],
  ["toSSE", "afters", (options) => session().run("1").toSSE(options)],
  ["approvals.list", "state", (options) => c.approvals.list(options)],
  ["approvals.resolve", "author", (options) => c.approvals.resolve("a", options)],
  ["work", "agent", (options) => c.work(options)],
  ["handler", "authorise", (options) => c.handler(options)],
  ["replay", "agents", (options) => c.replay("s", options)],
  ["close", "grace", (options) => c.close(options)],
  ["defineAgent", "maxStep", (options) => defineAgent(options)],
  ["context", "maxToken", (options) => defineAgent({ name: "n", model: "m", context: options })],
  ["startRun", "maxqueued", (options) => startRun(c.store, "s", "x", options)],
  ["cancelRun", "reasons", (options) => cancelRun(c.store, "r", options)],
  ["wake", "lease", (options) => wake(c.store, "s", options)],
  ["openStore", "migrated", (options) => openStore("memory:", options)],
  ["createServer", "origin", (options) => createServer(options)],
  ["listen", "proxy", (options) => listen(server(), options)],
  ["wakeAll", "session", (options) => Array.fromAsync(wakeAll(c.store, options))],
];

test.each(CALLS)("%s refuses the option %s, which there is not", async (what, option, call) => {
  const calling = async (): Promise<unknown> => await call({ [option]: 1 } as never);
  await expect(calling()).rejects.toMatchObject({
    code: "usage",
    message: `there is no option ${option} of ${what}`,
  });
});

test("a run of the session manager keeps its priority, and an impossible one is refused", async () => {
  const { runId } = await runOnce(c.store, new EchoAgent(), "x", { priority: -3 });
  expect(await c.store.getRun(runId)).toMatchObject({ status: "completed", priority: -3 });
  const refused = runOnce(c.store, new EchoAgent(), "x", { priority: 1_000 });
  await expect(refused).rejects.toMatchObject({ code: "usage" });
});

test("the option that was probably meant is in the hint, and nothing is written or ended", async () => {
  await expect(session().send("x", { runat: "" } as never)).rejects.toMatchObject({ hint: "Use runAt." });
  expect((await c.store.listRuns({ sessionId: "s" })).items).toHaveLength(1);
  expect(await c.queue()).toMatchObject({ parallel: 16 });
});
