/**
 * The cost of a model call, by a table of list prices. Pure.
 *
 * A price is in USD for a million tokens. The table is as of `PRICES_AS_OF`; it knows no subscriptions, no discounts, and no
 * prices that depend on the length of a prompt. A cost that the agent itself reports goes before it.
 */

import type { Usage } from "@continuo/core/model";

export interface Price {
  readonly input: number;
  readonly output: number;
  /** The price of `input` when left out. */
  readonly cacheRead?: number;
  /** The price of `input` when left out. */
  readonly cacheWrite?: number;
}

/** Prices by the name of the model, in lower case, without a provider in front and without a date at the end. */
export type Prices = Readonly<Record<string, Price>>;

export const PRICES_AS_OF = "2025-12-31";

/** Pages with the prices of each provider. The table was compiled from published copies of them. */
export const PRICE_SOURCES: readonly string[] = [
  "https://claude.com/pricing",
  "https://platform.openai.com/docs/pricing",
  "https://ai.google.dev/gemini-api/docs/pricing",
];

const anthropic = (input: number, output: number): Price => {
  // The write is the one that lasts five minutes.
  return { input, output, cacheRead: input / 10, cacheWrite: input * 1.25 };
};
const openai = (input: number, cacheRead: number, output: number): Price => ({ input, output, cacheRead });

export const LIST_PRICES: Prices = {
  "claude-opus-4-5": anthropic(5, 25),
  "claude-opus-4-1": anthropic(15, 75),
  "claude-opus-4": anthropic(15, 75),
  "claude-3-opus": anthropic(15, 75),
  "claude-sonnet-4-5": anthropic(3, 15),
  "claude-sonnet-4": anthropic(3, 15),
  "claude-3-7-sonnet": anthropic(3, 15),
  "claude-3-5-sonnet": anthropic(3, 15),
  "claude-haiku-4-5": anthropic(1, 5),
  "claude-3-5-haiku": anthropic(0.8, 4),
  "gpt-5.2": openai(1.75, 0.175, 14),
  "gpt-5.1": openai(1.25, 0.125, 10),
  "gpt-5.1-codex": openai(1.25, 0.125, 10),
  "gpt-5.1-codex-max": openai(1.25, 0.125, 10),
  "gpt-5.1-codex-mini": openai(0.25, 0.025, 2),
  "gpt-5": openai(1.25, 0.125, 10),
  "gpt-5-codex": openai(1.25, 0.125, 10),
  "gpt-5-mini": openai(0.25, 0.025, 2),
  "gpt-5-nano": openai(0.05, 0.005, 0.4),
  "codex-mini": openai(1.5, 0.375, 6),
  "gpt-4.1": openai(2, 0.5, 8),
  "gpt-4.1-mini": openai(0.4, 0.1, 1.6),
  "gpt-4.1-nano": openai(0.1, 0.025, 0.4),
  "gpt-4o": openai(2.5, 1.25, 10),
  "gpt-4o-mini": openai(0.15, 0.075, 0.6),
  o3: openai(2, 0.5, 8),
  "o4-mini": openai(1.1, 0.275, 4.4),
  "gemini-3-pro-preview": { input: 2, output: 12, cacheRead: 0.2 },
  "gemini-3-flash-preview": { input: 0.5, output: 3, cacheRead: 0.05 },
  "gemini-2.5-pro": { input: 1.25, output: 10, cacheRead: 0.125 },
  "gemini-2.5-flash": { input: 0.3, output: 2.5, cacheRead: 0.03 },
  "gemini-2.5-flash-lite": { input: 0.1, output: 0.4, cacheRead: 0.01 },
};

/** Tokens of one model; `null` if no model is recorded. */
export interface ModelUsage {
  readonly model: string | null;
  readonly usage: Usage;
}

export interface Cost {
  /** The known part of the cost; `null` if nothing is known. */
  readonly usd: number | null;
  /** Models whose tokens are not in it, because they have no price; `null` for tokens without a model. */
  readonly unpriced: readonly (string | null)[];
  /** True if any of it comes from a table of prices and not from the agent. */
  readonly isByPrices: boolean;
}

/** @param own prices that go before the table */
export function costOf(parts: readonly ModelUsage[], own: Prices): Cost {
  const unpriced = new Set<string | null>();
  let usd: number | null = null;
  let isByPrices = false;
  for (const { model, usage } of parts) {
    const price = model === null ? null : priceOf(model, own);
    const isReported = (usage.costUsd ?? 0) > 0;
    if (!isReported && tokensOf(usage) === 0) continue;
    if (!isReported && price === null) {
      unpriced.add(model);
      continue;
    }
    isByPrices ||= !isReported;
    usd = (usd ?? 0) + (isReported ? (usage.costUsd ?? 0) : priced(usage, price));
  }
  return { usd, unpriced: [...unpriced], isByPrices };
}

export function tokensOf(usage: Usage): number {
  return (
    usage.inputTokens + usage.outputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0)
  );
}

const MILLION = 1_000_000;

function priced(usage: Usage, price: Price | null): number {
  if (price === null) return 0;
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  return (
    (usage.inputTokens * input +
      usage.outputTokens * output +
      (usage.cacheReadTokens ?? 0) * cacheRead +
      (usage.cacheWriteTokens ?? 0) * cacheWrite) /
    MILLION
  );
}

/** Exactly this model, or what its name is without a provider and a date: a longer name is another model. */
function priceOf(name: string, own: Prices): Price | null {
  const whole = name.toLowerCase();
  const bare = whole
    .replace(/^.*\//u, "")
    .replace(/\[\w+\]$/u, "")
    .replace(/[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/u, "");
  for (const prices of [own, LIST_PRICES]) {
    for (const key of [whole, bare]) if (Object.hasOwn(prices, key)) return prices[key] ?? null;
  }
  return null;
}
