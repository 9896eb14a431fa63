/**
 * The price of the next call of a session: the whole context is sent again, and costs much less while the model's provider
 * still has it in its cache.
 *
 * Sources: Claude Code 2.1.330 records how long its writes last (`usage.cache_creation.ephemeral_1h_input_tokens` and
 * `ephemeral_5m_input_tokens`); all 162 calls after a pause of more than an hour found no cache entry, and 0.6 % of
 * those after a shorter one. Codex 0.169 names 30 minutes. Other agents record nothing; for models of Anthropic, the
 * five minutes of its API are used.
 */

import type { AgentName, Message, Usage } from "@continuo/core/model";
import { isJson, type Places } from "@continuo/files";
import { openNativeSession } from "@continuo/native";
import type { FoundSession } from "@continuo/native/kit";
import { type Price, type Prices, priceOf } from "./prices.ts";

export interface ResumePrice {
  /** The tokens of the context of the last call, which the next call sends again together with its own prompt. */
  readonly tokens: number;
  readonly model: string;
  /** `unknown` if it is not known how long the cache lasts. */
  readonly cache: "warm" | "cold" | "unknown";
  /** ISO 8601 UTC; `null` if it is unknown. */
  readonly warmUntil: string | null;
  /** USD, by the state of the cache; an unknown cache counts as cold. `null` for a model without a price. */
  readonly usd: number | null;
  /**
   * The price for a session with only its newest messages; `null` while the cache is warm, and if that would save
   * little.
   */
  readonly lean: { readonly tokens: number; readonly usd: number | null } | null;
}

export interface ResumePriceOptions {
  readonly places: Places;
  readonly prices: Prices;
  readonly now: Date;
}

/**
 * The number of bytes that are read from the end of a session. This part contains the last calls, unless one of them
 * read very large files.
 */
const NEWEST_BYTES = 4 * 1024 * 1024;
const LEAN_TOKENS = 30_000;
const MINUTE_MS = 60_000;
const MILLION = 1_000_000;

/** Returns `null` if no call has recorded tokens. Errors: those of opening the session. */
export async function resumePriceOf(
  found: FoundSession,
  { places, prices, now }: ResumePriceOptions,
): Promise<ResumePrice | null> {
  const call = await lastCallOf(found, places);
  if (call === null) return null;
  const { tokens, model, at, lastsMs } = call;
  const untilMs = lastsMs === null || at === null ? null : Date.parse(at) + lastsMs;
  const cache = untilMs === null ? "unknown" : untilMs > now.getTime() ? "warm" : "cold";
  const price = priceOf(model, prices);
  const write = price === null ? null : writePrice(price, lastsMs);
  const perMillion = price === null || cache !== "warm" ? write : (price.cacheRead ?? price.input);
  const isLong = cache !== "warm" && tokens > 2 * LEAN_TOKENS;
  return {
    tokens,
    model,
    cache,
    warmUntil: untilMs === null ? null : new Date(untilMs).toISOString(),
    usd: toUsd(tokens, perMillion),
    lean: isLong ? { tokens: LEAN_TOKENS, usd: toUsd(LEAN_TOKENS, write) } : null,
  };
}

function toUsd(tokens: number, perMillion: number | null): number | null {
  return perMillion === null ? null : (tokens * perMillion) / MILLION;
}

function writePrice(
  { input, cacheWrite = input, cacheWriteHour = cacheWrite }: Price,
  lastsMs: number | null,
): number {
  return lastsMs !== null && lastsMs > 5 * MINUTE_MS ? cacheWriteHour : cacheWrite;
}

interface LastCall {
  readonly tokens: number;
  readonly model: string;
  readonly at: string | null;
  readonly lastsMs: number | null;
}

async function lastCallOf(found: FoundSession, places: Places): Promise<LastCall | null> {
  using session = await openNativeSession(found, { places, newestBytes: NEWEST_BYTES });
  let last: LastCall | null = null;
  let told: number | null = null;
  for await (const message of session.history({ native: true })) {
    const { usage, model, timestamp } = message;
    if (usage === undefined || model === undefined || contextOf(usage) === 0) continue;
    told = toldBy(message) ?? told;
    const lastsMs = told ?? lastsByDefault(found.agent, model);
    last = { tokens: contextOf(usage), model, at: timestamp ?? null, lastsMs };
  }
  return last;
}

/** Returns the tokens of a call's input: uncached, read from the cache, and written to the cache. */
function contextOf({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

/**
 * The time for which the provider keeps the cache entry of this call, in milliseconds; `null` if the record does not
 * say.
 */
function toldBy({ metadata }: Message): number | null {
  for (const record of metadata.native ?? []) {
    const usage = isJson(record) && isJson(record.message) ? record.message.usage : undefined;
    const written = isJson(usage) ? usage.cache_creation : undefined;
    if (!isJson(written)) continue;
    if (Number(written.ephemeral_1h_input_tokens) > 0) return 60 * MINUTE_MS;
    if (Number(written.ephemeral_5m_input_tokens) > 0) return 5 * MINUTE_MS;
  }
  return null;
}

function lastsByDefault(agent: AgentName, model: string): number | null {
  if (agent === "codex") return 30 * MINUTE_MS;
  return /claude/iu.test(model) ? 5 * MINUTE_MS : null;
}
