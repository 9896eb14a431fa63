/** The program of every host: an agent that repeats what it hears, one that asks first, and people by their header. */

import { openContinuo } from "continuo";
import { EchoAgent } from "continuo/testing";

/** Asks before it answers, and is done when somebody has answered. */
const asking = {
  name: "asking",
  async execute({ run }, { onEvent, onPermission, signal }) {
    const request = { approvalId: run.runId, toolName: "rm", readOnly: false, options: [] };
    await onEvent({ type: "permission_request", ...request });
    const { outcome } = await onPermission(request, { signal });
    await onEvent({ type: "message", content: [{ type: "text", text: `it was ${outcome}` }] });
    return {};
  },
};

const c = await openContinuo(process.env.STORE ?? "", {
  agents: [new EchoAgent(), asking],
  recover: "retry",
  pollMs: 20,
});
await c.session("shop", { create: true });

export const handler = c.handler({
  authorize: (request) => {
    const by = request.headers.get("authorization");
    return by === null ? null : { sessions: "shop", access: "write", approve: by === "staff", by };
  },
});
