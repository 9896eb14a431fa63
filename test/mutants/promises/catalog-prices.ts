/** More promises of `packages/agents/src/catalog/`: prices and models, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const CATALOG_PRICES: readonly PromiseOfRoom[] = [
  {
    file: "packages/agents/src/catalog/resume-price.ts",
    test: "packages/agents/src/catalog/resume-price.test.ts",
    promise: "A call that only reads the cache keeps it as long as the write before it.",
    text: "told = toldBy(message) ?? told;",
    mistake: "told = toldBy(message);",
  },
  {
    promise: "A price after the cache ended is the price of a write.",
    file: "packages/agents/src/catalog/resume-price.ts",
    text: 'cache !== "warm" ? write : (price.cacheRead',
    mistake: 'cache === "unknown" ? write : (price.cacheRead',
    test: "packages/agents/src/catalog/resume-price.test.ts",
  },
  {
    promise: "A short session is not offered with only its newest messages.",
    file: "packages/agents/src/catalog/resume-price.ts",
    text: "tokens > 2 * LEAN_TOKENS",
    mistake: "tokens > LEAN_TOKENS / 2",
    test: "packages/agents/src/catalog/resume-price.test.ts",
  },
  {
    promise: "Codex keeps a cache for half an hour.",
    file: "packages/agents/src/catalog/resume-price.ts",
    text: 'if (agent === "codex") return 30 * MINUTE_MS;',
    mistake: "",
    test: "packages/agents/src/catalog/resume-price.test.ts",
  },
  {
    promise: "The models of an own session are those that answered in it.",
    file: "packages/agents/src/catalog/models.ts",
    text: "if (isOwn(row)) return store === null ? [] : await modelsOfOwn(row.sessionId, store);",
    mistake: "if (isOwn(row)) return [];",
    test: "packages/agents/src/catalog/models.test.ts",
  },
  {
    promise: "A session whose cache is still there is not offered with only its newest messages.",
    file: "packages/agents/src/catalog/resume-price.ts",
    text: 'const isLong = cache !== "warm" && tokens > 2 * LEAN_TOKENS;',
    mistake: "const isLong = tokens > 2 * LEAN_TOKENS;",
    test: "packages/agents/src/catalog/resume-price.test.ts",
  },
  {
    promise: "A session of whose cache nothing is known is priced as one without a cache.",
    file: "packages/agents/src/catalog/resume-price.ts",
    text: 'price === null || cache !== "warm" ? write',
    mistake: 'price === null || cache === "cold" ? write',
    test: "packages/agents/src/catalog/resume-price.test.ts",
  },
  {
    promise: "The newest write of a cache says how long it lasts.",
    file: "packages/agents/src/catalog/resume-price.ts",
    text: "    if (Number(written.ephemeral_5m_input_tokens) > 0) return 5 * MINUTE_MS;\n",
    mistake: "",
    test: "packages/agents/src/catalog/resume-price.test.ts",
  },
  {
    promise: "No more tokens have the price of an hour than were written.",
    file: "packages/agents/src/catalog/prices.ts",
    text: "Math.min(usage.cacheWriteHourTokens ?? 0, cacheWriteTokens)",
    mistake: "(usage.cacheWriteHourTokens ?? 0)",
    test: "packages/agents/src/catalog/prices.test.ts",
  },
  {
    promise: "A saved list of prices tells reads of the cache from writes to it.",
    file: "packages/agents/src/catalog/price-file.ts",
    text: '  "cache_read_input_token_cost",\n  "cache_creation_input_token_cost",\n',
    mistake: '  "cache_creation_input_token_cost",\n  "cache_read_input_token_cost",\n',
    test: "packages/agents/src/catalog/prices.test.ts",
  },
];
