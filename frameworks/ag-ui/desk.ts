/** An agent that thinks, says words, looks something up, and asks before it acts if its script says so. */

import { type Agent, textOf } from "../../packages/core/src/model/index.ts";

/** @param rest the pause before each word */
export function desk(rest: () => Promise<unknown>): Agent {
  return {
    name: "desk",
    async execute({ run, input }, { onEvent, onPermission, signal }) {
      const words = textOf(input).split(" ");
      for (const delta of ["Let me ", "see."]) {
        await rest();
        await onEvent({ type: "thinking", delta, messageId: "t" });
      }
      // The ids are the same in each run, as those of many agents.
      for (const word of ["You", "asked:", ...words]) {
        await rest();
        signal.throwIfAborted();
        await onEvent({ type: "text", delta: `${word} `, messageId: "m" });
      }
      const call = { toolCallId: "call-1", toolName: "look", toolInput: { words } };
      await onEvent({ type: "tool_call", ...call });
      let status: "ok" | "denied" = "ok";
      if (words.includes("please")) {
        const request = { approvalId: run.runId, ...call, title: "Look it up?", readOnly: true, options: [] };
        await onEvent({ type: "permission_request", ...request });
        const decision = await onPermission?.(request, { signal });
        if (decision !== undefined)
          await onEvent({ type: "permission_decision", approvalId: run.runId, ...decision });
        if (decision?.outcome !== "granted") status = "denied";
      }
      await rest();
      await onEvent({
        type: "tool_result",
        toolCallId: "call-1",
        content: `${words.length} parcels`,
        status,
      });
      if (words.includes("fail")) throw new Error("no power");
      await onEvent({ type: "text", delta: "That is all.", messageId: "n" });
      return { stopReason: "end_turn" };
    },
  };
}
