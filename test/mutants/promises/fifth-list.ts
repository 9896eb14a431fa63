/** Promises that a fifth list of mistakes showed to be untested: its author knew the sources and not their tests. */

import type { PromiseOfRoom } from "./promise.ts";

export const FIFTH_GATEWAY: readonly PromiseOfRoom[] = [
  {
    promise: "After a logout, the login that the person chose is forgotten.",
    file: "src/gateway/logins.ts",
    text: "      chosen.clear();\n",
    mistake: "",
    test: "src/gateway/logins.test.ts",
  },
  {
    promise: "A login that failed is not the chosen one.",
    file: "src/gateway/logins.ts",
    text: "      await start({ agent, methodId, places, signal });\n      chosen.set(agent, methodId);",
    mistake: "      chosen.set(agent, methodId);\n      await start({ agent, methodId, places, signal });",
    test: "src/gateway/logins.test.ts",
  },
];
