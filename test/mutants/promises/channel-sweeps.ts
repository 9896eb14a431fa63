/** More promises of `packages/store/src/channels/`: sweeps, ends of runs, and readers at the same time, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const CHANNEL_SWEEPS: readonly PromiseOfRoom[] = [
  {
    promise: "A participant that was swept can come back at once.",
    file: "packages/store/src/channels/interrupt.ts",
    text: "    await store.releaseLease(fence);\n    return true;",
    mistake: "    return true;",
    test: "packages/store/src/channels/lifecycle.test.ts",
  },
  {
    promise: "A sweep that takes longer than its turn keeps its turn.",
    file: "packages/store/src/channels/interrupt.ts",
    text: "      await store.renewLease({ ...turn, ttlMs: TURN_MS });\n",
    mistake: "",
    test: "packages/store/src/channels/lifecycle.test.ts",
  },
  {
    promise: "A summary shows no more than the beginning of a long message.",
    file: "packages/store/src/channels/summary.ts",
    text: "content: whole.content.slice(0, LIMITS.summaryLength)",
    mistake: "content: whole.content",
    test: "packages/store/src/channels/summary.test.ts",
  },
  {
    promise: "Who asks for the state of a channel while it is read gets every event that was stored before.",
    file: "packages/store/src/channels/read-state.ts",
    text: "return readState(store, channel, await begun);",
    mistake: "return begun;",
    test: "packages/store/src/channels/read-state.test.ts",
  },
  {
    promise: "The answer of a participant is its own, not one that another wrote under its id.",
    file: "packages/store/src/channels/claims.ts",
    text: "if (messageId === answerId && isByWriter(event, handle)) return",
    mistake: "if (messageId === answerId) return",
    test: "packages/store/src/channels/claims.test.ts",
  },
  {
    promise: "A person who writes lets agents answer each other again.",
    file: "packages/store/src/channels/agent-turns.ts",
    text: '      if (event.actor.kind === "person") return turns;\n      if (isTurn',
    mistake: "      if (isTurn",
    test: "packages/store/src/channels/claims.test.ts",
  },
  {
    promise: "A repeated end of a run changes nothing.",
    file: "packages/store/src/channels/claims.ts",
    text: "  if (run.status === status) return;\n",
    mistake: "",
    test: "packages/store/src/channels/claims.test.ts",
  },
];
