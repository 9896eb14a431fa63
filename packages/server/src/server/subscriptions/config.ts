/** The configuration of a subscription. Pure. */

import { isContinuoError } from "@continuo/core/model";
import { addressOf } from "@continuo/core/wire";
import { Refusal } from "./refusal.ts";

export interface SubscriptionConfig {
  readonly type: "webhook" | "pull-wake";
  readonly pattern: string | null;
  readonly streams: readonly string[];
  readonly webhookUrl: string | null;
  readonly wakeStream: string | null;
  readonly leaseTtlMs: number;
  readonly description: string | null;
}

const MAX_STREAMS = 1_000;
const LEASE_MS = { default: 30_000, min: 1_000, max: 600_000 } as const;

/** Errors: a `Refusal`. */
export function parseConfig(body: Readonly<Record<string, unknown>>): SubscriptionConfig {
  const { type, pattern, webhook, description } = body;
  if (type !== "webhook" && type !== "pull-wake") throw invalid('type is not "webhook" or "pull-wake"');
  const streams = body.streams === undefined ? [] : parsePaths(body.streams);
  const wanted = pattern === undefined ? null : parsePattern(pattern);
  if (wanted === null && streams.length === 0) throw invalid("there is no pattern and no stream");
  if (description !== undefined && (typeof description !== "string" || description.length > 1_000)) {
    throw invalid("description is not a short text");
  }
  return {
    type,
    pattern: wanted,
    streams,
    webhookUrl: type === "webhook" ? urlOf(webhook) : null,
    wakeStream: type === "pull-wake" ? wakeStreamOf(body.wake_stream) : null,
    leaseTtlMs: leaseOf(body.lease_ttl_ms),
    description: description ?? null,
  };
}

export function parsePaths(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid("streams is not an array of paths");
  if (value.length > MAX_STREAMS) throw invalid(`there are more than ${MAX_STREAMS} streams`);
  return [...new Set(value.map((path) => parsePath(path, "streams")))].sort();
}

/** A path below `/v1/stream/`. */
export function parsePath(value: unknown, name: string): string {
  const path = typeof value === "string" ? value.replace(/^\/+|\/+$/g, "") : "";
  try {
    addressOf(path);
  } catch (error) {
    if (isContinuoError(error)) throw invalid(`${name} contains a text that is not the path of a stream`);
    throw error;
  }
  return path;
}

function wakeStreamOf(value: unknown): string {
  const path = parsePath(value, "wake_stream");
  if (addressOf(path).kind !== "stream")
    throw invalid("wake_stream must be a stream of your own, not a channel or a session");
  return path;
}

function parsePattern(value: unknown): string {
  const pattern = typeof value === "string" ? value.replace(/^\/+|\/+$/g, "") : "";
  if (pattern === "" || pattern.length > 512 || /\p{Cc}/u.test(pattern))
    throw invalid("pattern is not a pattern");
  return pattern;
}

function urlOf(webhook: unknown): string {
  const url = typeof webhook === "object" && webhook !== null && "url" in webhook ? webhook.url : undefined;
  if (typeof url !== "string" || url === "") throw invalid("webhook.url is missing");
  return url;
}

function leaseOf(value: unknown): number {
  if (value === undefined) return LEASE_MS.default;
  if (Number.isSafeInteger(value) && (value as number) >= LEASE_MS.min && (value as number) <= LEASE_MS.max) {
    return value as number;
  }
  throw invalid(`lease_ttl_ms is not a whole number from ${LEASE_MS.min} to ${LEASE_MS.max}`);
}

function invalid(message: string): Refusal {
  return new Refusal("INVALID_REQUEST", message);
}
