/**
 * `statusline`: one line for Claude Code, which sends the facts of its session as JSON on standard input.
 *
 * Claude Code calls this several times a minute. Therefore the sums over all sessions are computed only once a minute,
 * and only from the sessions that changed in the last 24 hours. Unknown facts are left out, and nothing causes an
 * error, because a person sees only this line.
 */

import { join } from "node:path";
import { resumePriceOf, type SessionUsage, usageOfAll } from "@continuo/agents/catalog";
import { isContinuoError } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { continuoHome, isJson, type Json, placesOf, readJsonFile, writeDurably } from "@continuo/files";
import { lookUpSession } from "@continuo/native";
import { createOutput, formatCost, type Shell } from "../terminal/index.ts";
import { BLOCK_HOURS, leftOfBlock } from "./blocks.ts";
import { drawTime } from "./draw.ts";
import { groupUsage } from "./groups.ts";
import { localDay } from "./periods.ts";
import { readPrices } from "./prices.ts";

const HOUR_MS = 60 * 60 * 1000;
const KEPT_MS = 60_000;
const MAX_INPUT_CHARS = 1024 * 1024;

export async function runStatusline(shell: Shell): Promise<number> {
  const told = await readInput(shell);
  const parts = [
    modelOf(told),
    costOf(told),
    contextOf(told),
    ...(await sumsOf(shell)),
    await cacheOf(told, shell),
  ];
  const line = parts.filter((part) => part !== null).join(" · ");
  await createOutput(shell.stdout).write(`${visibleLine(line)}\n`);
  return 0;
}

async function readInput({ stdin }: Shell): Promise<Json> {
  if (stdin.isTTY === true) return {};
  let text = "";
  stdin.setEncoding("utf8");
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > MAX_INPUT_CHARS) return {};
  }
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Returns the value at a path of keys, such as `part(told, "model", "display_name")`. */
function part(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce((inner, key) => (isJson(inner) ? inner[key] : undefined), value);
}

function modelOf(told: Json): string | null {
  const name = part(told, "model", "display_name") ?? part(told, "model", "id");
  return typeof name === "string" && name !== "" ? name : null;
}

function costOf(told: Json): string | null {
  const usd = part(told, "cost", "total_cost_usd");
  return typeof usd === "number" && usd > 0 ? `${drawUsd(usd)} session` : null;
}

function contextOf(told: Json): string | null {
  const percent = part(told, "context_window", "used_percentage");
  return typeof percent === "number" ? `${Math.round(percent)} % of the context` : null;
}

function drawUsd(usd: number): string {
  return formatCost({ usd, unpriced: [] });
}

interface Sums {
  readonly at: number;
  readonly todayUsd: number | null;
  readonly block: { readonly begin: string; readonly usd: number | null } | null;
}

async function sumsOf(shell: Shell): Promise<readonly string[]> {
  const path = join(continuoHome(placesOf(shell)), "cache/statusline.json");
  const kept = readSums(path);
  const isFresh = kept !== null && Math.abs(shell.now.getTime() - kept.at) < KEPT_MS;
  const sums = isFresh ? kept : await nullOnError(() => count(path, shell));
  if (sums === null) return [];
  const { todayUsd, block } = sums;
  const left = block === null ? null : leftOfBlock(block.begin, shell.now);
  return [
    ...(todayUsd !== null ? [`${drawUsd(todayUsd)} today`] : []),
    ...(left !== null && block !== null && block.usd !== null
      ? [`${drawUsd(block.usd)} in this block, ${drawTime(left)} left`]
      : []),
  ];
}

/** Reads the stored sums; `null` if there are none, or if another version wrote them. */
function readSums(path: string): Sums | null {
  const { at, todayUsd = null, block = null } = readJsonFile(path) ?? {};
  if (typeof at !== "number" || !isAmount(todayUsd)) return null;
  if (!isJson(block)) return { at, todayUsd, block: null };
  const { begin, usd = null } = block;
  return typeof begin === "string" && isAmount(usd) ? { at, todayUsd, block: { begin, usd } } : null;
}

function isAmount(value: unknown): value is number | null {
  return value === null || typeof value === "number";
}

async function nullOnError<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isContinuoError(error)) return null;
    throw error;
  }
}

async function count(path: string, shell: Shell): Promise<Sums> {
  const { now } = shell;
  const [from, prices] = [now.getTime() - 24 * HOUR_MS, await readPrices(shell)];
  const { sessions } = await usageOfAll({ places: shell, changedSinceMs: from });
  const claude = sessions.filter(({ agent }) => agent === "claude");
  const since = new Date(from).toISOString();
  const today = localDay(now);
  const day = groupUsage(sessions, { by: "day", since, prices }).groups.find(({ key }) => key === today);
  const block = groupUsage(recent(claude, now), { by: "block", prices }).groups.at(-1);
  const sums: Sums = {
    at: now.getTime(),
    todayUsd: day?.cost.usd ?? null,
    block: block?.key ? { begin: block.key, usd: block.cost.usd } : null,
  };
  try {
    writeDurably(path, `${JSON.stringify(sums)}\n`);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
  return sums;
}

/**
 * Returns the sessions with only the hours of the last day and of one block before it. The newest block that is
 * computed from these hours is correct if they include a pause of five hours.
 */
function recent(sessions: readonly SessionUsage[], now: Date): readonly SessionUsage[] {
  const first = new Date(now.getTime() - (24 + BLOCK_HOURS) * HOUR_MS).toISOString();
  return sessions.map((session) => ({
    ...session,
    buckets: session.buckets.filter(({ hour }) => hour !== null && hour >= first.slice(0, hour.length)),
  }));
}

/** Shows how long the cache stays warm, or that the next prompt pays for the whole context. */
async function cacheOf(told: Json, shell: Shell): Promise<string | null> {
  const id = told.session_id;
  if (typeof id !== "string" || id === "") return null;
  const price = await nullOnError(async () => {
    const places = placesOf(shell);
    const { found } = await lookUpSession(`claude:${id}`, { places });
    return await resumePriceOf(found, { places, prices: await readPrices(shell), now: shell.now });
  });
  if (price === null || price.cache === "unknown") return null;
  const left = Date.parse(price.warmUntil ?? "") - shell.now.getTime();
  if (price.cache === "warm") return `cache warm for ${drawTime(left)}`;
  return price.usd === null ? "cache cold" : `cache cold, about ${drawUsd(price.usd)} to continue`;
}
