/** The metadata of an approval: what the program said about the session, and nothing that Continuo adds. */

import type { Agent } from "@continuo/core/model";
import { openContinuo } from "@continuo/server/runtime";
import { expect, test } from "vitest";

const asking: Agent = {
  name: "asking",
  async execute({ run }, { onEvent, onPermission, signal }) {
    const request = { approvalId: run.runId, toolName: "refund", readOnly: false, options: [] };
    await onEvent({ type: "permission_request", ...request });
    await onPermission?.(request, { signal });
    await onEvent({ type: "mode", model: "fake-1" });
    await onEvent({ type: "message", content: [{ type: "text", text: "Done." }], model: "fake-1" });
    return { usage: { inputTokens: 3, outputTokens: 4 } };
  },
};

test("an approval has only the metadata of the program, after a run whose usage and model the session has", async () => {
  await using c = await openContinuo("memory:", { agents: [asking], pollMs: 20 });
  const session = c.session("s", { create: true, metadata: { user: "ann" } });
  for (const id of ["1", "2"]) {
    const run = session.send("refund it", { id });
    await expect.poll(async () => await c.approvals.list({ status: "open" })).toHaveLength(1);
    const [approval] = await c.approvals.list({ status: "open", metadata: { user: "ann" } });
    expect(approval?.metadata).toEqual({ user: "ann" });
    await c.approvals.resolve(approval?.id ?? "", { outcome: "granted" });
    expect((await run.result()).status).toBe("completed");
  }
  const { metadata } = (await c.store.getSession("s")) ?? {};
  expect(metadata).toMatchObject({
    user: "ann",
    model: "fake-1",
    usage: { inputTokens: 6, outputTokens: 8 },
  });
});
