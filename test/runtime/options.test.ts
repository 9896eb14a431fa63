/**
 * Options of the front door and of the session manager. `test/options` shows that each call refuses unknown options.
 */

import { type Continuo, defineAgent, openContinuo } from "@continuo/server/runtime";
import { runOnce } from "@continuo/store/sessions";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";

let c: Continuo;
beforeAll(async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent()] });
  await c.session("s", { create: true }).send("hello", { id: "1" }).result();
});
afterAll(() => c.close());

test("a run of the session manager keeps its priority, and an impossible priority is refused", async () => {
  const { runId } = await runOnce(c.store, new EchoAgent(), "x", { priority: -3 });
  expect(await c.store.getRun(runId)).toMatchObject({ status: "completed", priority: -3 });
  const refused = runOnce(c.store, new EchoAgent(), "x", { priority: 1_000 });
  await expect(refused).rejects.toMatchObject({ code: "usage" });
});

test("the hint names the option that was probably meant, and nothing is written or ended", async () => {
  await expect(c.session("s").send("x", { runat: "" } as never)).rejects.toMatchObject({
    hint: "Use runAt.",
  });
  expect((await c.store.listRuns({ sessionId: "s" })).items).toHaveLength(1);
  expect(await c.queue()).toMatchObject({ parallel: 16 });
});

/** An option of the front door with a value that would wait for ever, loop, or choose something else. */
const WRONG: readonly {
  readonly name: string;
  readonly call: () => unknown;
  readonly message: RegExp;
  readonly hint?: string;
}[] = [
  {
    name: "recover",
    call: () => openContinuo("memory:", wrong({ recover: "retyr" })),
    message: /^recover must be one of/u,
    hint: "retry",
  },
  {
    name: "agents",
    call: () => openContinuo("memory:", wrong({ agents: new EchoAgent() })),
    message: /^agents must be an array$/u,
  },
  {
    name: "parallel",
    call: () => openContinuo("memory:", { parallel: 0 }),
    message: /^parallel must be a number of at least 1$/u,
  },
  {
    name: "pollMs",
    call: () => openContinuo("memory:", { pollMs: Number.NaN }),
    message: /^pollMs must be .* at least 1$/u,
  },
  {
    name: "leaseMs",
    call: () => openContinuo("memory:", { leaseMs: 0 }),
    message: /^leaseMs must be .* at least 1$/u,
  },
  {
    name: "approvalMs",
    call: () => openContinuo("memory:", { approvalMs: -1 }),
    message: /^approvalMs must be .* at least 0$/u,
  },
  {
    name: "attempts",
    call: () => openContinuo("memory:", { retry: { attempts: 0 } }),
    message: /^attempts must be .* at least 1$/u,
  },
  {
    name: "on",
    call: () => openContinuo("memory:", wrong({ retry: { on: ["fail"] } })),
    message: /^retry\.on must be one of/u,
    hint: "failed",
  },
  {
    name: "work",
    call: () => c.work({ parallel: 0 }),
    message: /^parallel must be a number of at least 1$/u,
  },
  {
    name: "status",
    call: () => c.approvals.list(wrong({ status: "opened" })),
    message: /^status must be one of/u,
  },
  {
    name: "maxSteps",
    call: async () => defineAgent({ ...MODEL, maxSteps: 0 }),
    message: /^maxSteps must be .* at least 1$/u,
  },
  {
    name: "window",
    call: async () => defineAgent({ ...MODEL, context: { window: -1 } }),
    message: /^window must be .* at least 1$/u,
  },
  {
    name: "maxTokens",
    call: async () => defineAgent({ ...MODEL, context: wrong({ maxTokens: "windw" }) }),
    message: /^maxTokens must be/u,
  },
  {
    name: "name",
    call: async () => defineAgent({ ...MODEL, name: "" }),
    message: /^the name of an agent must be a text/u,
  },
  {
    name: "model",
    call: async () => defineAgent(wrong({ name: "desk" })),
    message: /^the agent "desk" has no model$/u,
  },
];
const MODEL = { name: "desk", model: "anthropic/claude-sonnet-5" };
const wrong = (options: object): never => options as never;

test.each(WRONG)("a nonsensical value of $name is refused", async ({ call, message, hint }) => {
  const refusal = { code: "usage", message: expect.stringMatching(message) };
  await expect(call()).rejects.toMatchObject(
    hint === undefined ? refusal : { ...refusal, hint: `Use ${hint}.` },
  );
});

test("a signal ends the wait for a result, but not the run", async () => {
  await using idle = await openContinuo("memory:", { work: false });
  const run = idle.session("s", { create: true }).send("later", { agent: "nobody" });
  const { runId } = await run;
  const signal = AbortSignal.timeout(50);
  await expect(run.result({ signal })).rejects.toMatchObject({ code: "cancelled" });
  expect(await idle.store.getRun(runId)).toMatchObject({ status: "pending" });
});
