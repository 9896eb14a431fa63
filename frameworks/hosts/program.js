/**
 * The program of every host: an agent that repeats what it hears, one that asks first, one that counts, and people by their
 * header.
 */

import { setTimeout as pause } from "node:timers/promises";
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

/** Says one number after the other; with `STAY=middle` it stays in the middle until its process is killed. */
const counting = {
  name: "counting",
  async execute({ run }, { onEvent, signal }) {
    for (let number = 1; number <= 20; number++) {
      await onEvent({ type: "text", delta: `${number} `, messageId: `count-${run.runId}` });
      if (number === 5 && process.env.STAY === "middle") await pause(600_000, undefined, { signal });
    }
    return {};
  },
};

const c = await openContinuo(process.env.STORE ?? "", {
  agents: [new EchoAgent(), asking, counting],
  recover: "retry",
  pollMs: 20,
});
await c.session("shop", { create: true });

export const handler = c.handler({
  authorize: (request) => {
    const by = request.headers.get("authorization");
    return by === null ? null : { sessions: ["shop"], access: "write", approve: by === "staff", by };
  },
});
