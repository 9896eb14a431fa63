/** More promises of `packages/server/src/mcp/`: bounds and masks, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const MCP_BOUNDS: readonly PromiseOfRoom[] = [
  {
    promise: "The excluded sessions give no experience.",
    file: "packages/server/src/mcp/experience.ts",
    text: "    exclude: await exclude(),\n",
    mistake: "    exclude: [],\n",
    test: "packages/server/src/mcp/results.test.ts",
  },
  {
    promise: "An answer stays within its tokens even if no text fits.",
    file: "packages/server/src/mcp/turns-answer.ts",
    text: "return tokensOf(some) <= options.maxTokens ? some : build(1, LEAST);",
    mistake: "return some;",
    test: "packages/server/src/mcp/turns-answer.test.ts",
  },
  {
    promise: "Hidden sessions give no experience.",
    file: "packages/server/src/mcp/experience.ts",
    text: "isVisible: (session) => isVisible(session, context),",
    mistake: "isVisible: () => true,",
    test: "packages/server/src/mcp/results.test.ts",
  },
  {
    promise: "A session with a strange id is named in the quotes.",
    file: "packages/server/src/mcp/turns-answer.ts",
    text: 'isPlain ? session : "the session"}.`',
    mistake: "session}.`",
    test: "packages/server/src/mcp/turns-answer.test.ts",
  },
];
