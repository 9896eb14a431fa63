/** Options of the front door and of the session manager: `test/options` shows that each call refuses what there is not. */

import { type Continuo, openContinuo } from "@continuo/server/runtime";
import { runOnce } from "@continuo/store/sessions";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";

let c: Continuo;
beforeAll(async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent()] });
  await c.session("s", { create: true }).send("hello", { id: "1" }).result();
});
afterAll(() => c.close());

test("a run of the session manager keeps its priority, and an impossible one is refused", async () => {
  const { runId } = await runOnce(c.store, new EchoAgent(), "x", { priority: -3 });
  expect(await c.store.getRun(runId)).toMatchObject({ status: "completed", priority: -3 });
  const refused = runOnce(c.store, new EchoAgent(), "x", { priority: 1_000 });
  await expect(refused).rejects.toMatchObject({ code: "usage" });
});

test("the option that was probably meant is in the hint, and nothing is written or ended", async () => {
  await expect(c.session("s").send("x", { runat: "" } as never)).rejects.toMatchObject({
    hint: "Use runAt.",
  });
  expect((await c.store.listRuns({ sessionId: "s" })).items).toHaveLength(1);
  expect(await c.queue()).toMatchObject({ parallel: 16 });
});
