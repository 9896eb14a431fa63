/** The price of the next call, before a session continues. */

import {
  type LocatedSession,
  type LookUpHit,
  lookUp,
  type ResumePrice,
  resumePriceOf,
} from "@continuo/agents/catalog";
import { isContinuoError, shellWord } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { pricesWork } from "../stats/index.ts";
import { clockTime, formatCost, formatCount, type Shell } from "../terminal/index.ts";

/**
 * Returns one line, and a second one with a cheaper way if the context is long and not cached. Returns no lines if no
 * call has recorded tokens, or if an error of Continuo occurs: a missing price must not stop anything.
 */
export async function resumePriceLines(
  { found, places }: Pick<LocatedSession, "found" | "places">,
  shell: Shell,
): Promise<readonly string[]> {
  try {
    const prices = await pricesWork(shell);
    const price = await resumePriceOf(found, { places, prices, now: shell.now });
    return price === null ? [] : describe(price, found, prices.list.asOf).map(visibleLine);
  } catch (error) {
    if (isContinuoError(error)) return [];
    throw error;
  }
}

/** Returns the same for a session that an agent continues; by default, `agent` is the one that answered last. */
export async function resumePriceLinesOf(
  name: string,
  agent: string | undefined,
  shell: Shell,
): Promise<readonly string[]> {
  try {
    const native = await nativeOf(await lookUp(name, { places: shell }), agent, shell);
    return native === null ? [] : await resumePriceLines(native, shell);
  } catch (error) {
    if (isContinuoError(error)) return [];
    throw error;
  }
}

/** `null` if the conversation is sent again to another agent. */
async function nativeOf(
  located: LookUpHit,
  agent: string | undefined,
  shell: Shell,
): Promise<LocatedSession | null> {
  if (located.kind === "native") {
    return agent === undefined || agent === located.native.found.agent ? located.native : null;
  }
  const { nativeRefs, lastAgent } = located.row;
  const ref = nativeRefs.find((one) => one.agent === (agent ?? lastAgent));
  if (ref === undefined) return null;
  const hit = await lookUp(ref.location ?? `${ref.agent}:${ref.sessionId}`, { places: shell });
  return hit.kind === "native" ? hit.native : null;
}

/** `cold · 182,000 tokens · about $1.46`. */
export function describeResumePrice({ tokens, model, cache, warmUntil, usd }: ResumePrice): string {
  const state = {
    warm: `warm until ${warmUntil === null ? "" : clockTime(warmUntil)}`,
    cold: "cold",
    unknown: "perhaps cold",
  }[cache];
  const sum = costText(usd);
  return `${state} · ${formatCount(tokens)} tokens · ${sum === null ? `no price for ${model}` : `about ${sum}`}`;
}

function describe(
  price: ResumePrice,
  { agent, sessionId }: LocatedSession["found"],
  asOf: string,
): readonly string[] {
  const { usd, lean } = price;
  const first = `${describeResumePrice(price)}${usd === null ? "" : ` by list prices of ${asOf}`}`;
  if (lean === null) return [first];
  const sum = costText(lean.usd);
  const command = `continuo handoff ${shellWord(`${agent}:${sessionId}`)} --to ${agent} --max-tokens ${lean.tokens}`;
  return [
    first,
    `lean: about ${formatCount(lean.tokens)} tokens${sum === null ? "" : `, ${sum}`}, with only the newest messages: \`${command}\``,
  ];
}

function costText(usd: number | null): string | null {
  return usd === null ? null : formatCost({ usd, unpriced: [] });
}
