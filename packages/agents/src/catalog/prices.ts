/**
 * Computes the cost of model calls from a list of prices. Pure.
 *
 * A price is in USD for a million tokens. A list does not know subscriptions, discounts, or prices that depend on the
 * length of a prompt. A cost that the agent itself reports has priority over the list.
 */

import { present, type Usage } from "@continuo/core/model";
import { PRICE_LINES, PRICE_SOURCE, PRICES_AS_OF } from "./list-prices.ts";

export interface Price {
  readonly input: number;
  readonly output: number;
  /** The price of `input` by default. */
  readonly cacheRead?: number;
  /** The price of `input` by default. */
  readonly cacheWrite?: number;
  /** A write that lasts an hour; the price of `cacheWrite` by default. */
  readonly cacheWriteHour?: number;
}

/**
 * Prices by the name of the model in lower case. A name may contain the provider at its beginning and the date at its
 * end.
 */
export type PriceMap = Readonly<Record<string, Price>>;

export interface PriceList {
  /** `2026-01-31`. */
  readonly asOf: string;
  /** The address or the file that the list came from. */
  readonly source: string;
  readonly prices: PriceMap;
}

export interface Prices {
  /** The prices that a person set, which have priority over the list. */
  readonly own: PriceMap;
  readonly list: PriceList;
}

let shipped: PriceList | null = null;

/** The list that comes with this version of Continuo. */
export function shippedPrices(): PriceList {
  shipped ??= { asOf: PRICES_AS_OF, source: PRICE_SOURCE, prices: parsePriceLines(PRICE_LINES) };
  return shipped;
}

/**
 * Reads lines in the form of `PRICE_LINES`. If a name ends with a date, the name without the date gets the price too.
 */
export function parsePriceLines(text: string): PriceMap {
  const prices: Record<string, Price> = Object.create(null);
  for (const line of text.trim().split("\n")) {
    const [names = "", amounts = ""] = line.split(" | ");
    const known = amounts.split(" ").map((amount) => (amount === "-" ? undefined : Number(amount)));
    const [input = 0, output = 0, cacheRead, cacheWrite, cacheWriteHour] = known;
    const price: Price = { input, output, ...present({ cacheRead, cacheWrite, cacheWriteHour }) };
    for (const name of names.split(" ")) {
      prices[name] = price;
      prices[name.replace(DATED, "")] ??= price;
    }
  }
  return prices;
}

/** Tokens of one model; `null` if no model is recorded. */
export interface ModelUsage {
  readonly model: string | null;
  readonly usage: Usage;
}

export interface Cost {
  /** The known part of the cost; `null` if nothing is known. */
  readonly usd: number | null;
  /** Models whose tokens are not in the cost, because they have no price; `null` for tokens without a model. */
  readonly unpriced: readonly (string | null)[];
  /** True if any part of the cost comes from a list of prices and not from the agent. */
  readonly isByPrices: boolean;
}

export function costOf(parts: readonly ModelUsage[], prices: Prices): Cost {
  const unpriced = new Set<string | null>();
  let usd: number | null = null;
  let isByPrices = false;
  for (const { model, usage } of parts) {
    const price = model === null ? null : priceOf(model, prices);
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
const DATED = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/u;

function priced(usage: Usage, price: Price | null): number {
  if (price === null) return 0;
  const { input, output, cacheRead = input, cacheWrite = input, cacheWriteHour = cacheWrite } = price;
  const { cacheWriteTokens = 0 } = usage;
  const hourTokens = Math.min(usage.cacheWriteHourTokens ?? 0, cacheWriteTokens);
  return (
    (usage.inputTokens * input +
      usage.outputTokens * output +
      (usage.cacheReadTokens ?? 0) * cacheRead +
      (cacheWriteTokens - hourTokens) * cacheWrite +
      hourTokens * cacheWriteHour) /
    MILLION
  );
}

/** Finds exactly this model, or its name without the provider and the date; a longer name is another model. */
export function priceOf(name: string, { own, list }: Prices): Price | null {
  const whole = name.toLowerCase();
  const bare = whole
    .replace(/^.*\//u, "")
    .replace(/\[\w+\]$/u, "")
    .replace(DATED, "");
  for (const prices of [own, list.prices]) {
    for (const key of [whole, bare]) if (Object.hasOwn(prices, key)) return prices[key] ?? null;
  }
  return null;
}
