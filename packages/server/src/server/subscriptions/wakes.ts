/** Creates, holds, acknowledges and ends wakes. In every step, only one server succeeds. */

import { randomBytes } from "node:crypto";
import { present, type Store, type Write } from "@continuo/core/model";
import { addressOf, parseOffset } from "@continuo/core/wire";
import { type Change, changeSubscription, type Subscription } from "./documents.ts";
import { cursorName, isLinked, linkOf, nothingFound, type StreamLink } from "./links.ts";
import { Refusal } from "./refusal.ts";
import type { WakeClock } from "./wake-clock.ts";

/** Returns the subscription with its new wake; `null` if another server created a wake first. */
export function makeWake(
  store: Store,
  id: string,
  pending: readonly StreamLink[],
): Promise<Subscription | null> {
  return changeSubscription(store, id, async (subscription) => {
    if (subscription.wake !== null) return null;
    const next = withWake(subscription, pending, Date.now());
    const event = await wakeEvent(store, next, pending[0]?.path ?? "");
    return present({ subscription: next, result: next, event });
  });
}

function withWake(subscription: Subscription, pending: readonly StreamLink[], now: number): Subscription {
  const { type, leaseTtlMs } = subscription.config;
  return {
    ...subscription,
    generation: subscription.generation + 1,
    nextAttemptAt: null,
    wake: {
      id: `w_${randomBytes(12).toString("hex")}`,
      holder: null,
      leaseUntil: type === "webhook" ? now + leaseTtlMs : null,
      snapshot: Object.fromEntries(pending.map(({ path, tail }) => [path, tail])),
    },
  };
}

/** The event is stored together with the wake, so that both exist or neither. A missing wake stream gets no event. */
async function wakeEvent(
  store: Store,
  { id, config, generation }: Subscription,
  stream: string,
): Promise<Change<unknown>["event"]> {
  if (config.wakeStream === null) return undefined;
  const { logId } = addressOf(config.wakeStream);
  const log = await store.getLog(logId).catch(nothingFound);
  if (log === null || log.closedAt !== undefined || !log.mediaType.startsWith("application/json"))
    return undefined;
  const event = { type: "wake", subscription_id: id, stream, generation, ts: Date.now() };
  return { logId, event: { type: "bytes", data: Buffer.from(JSON.stringify(event)) } };
}

interface Claim {
  readonly worker: string;
  readonly pending: readonly StreamLink[];
  readonly clock: WakeClock;
}

/** Gives a worker the waiting wake, or a new one. Errors: a `Refusal`. */
export async function claimWake(
  store: Store,
  id: string,
  { worker, pending, clock }: Claim,
): Promise<Subscription> {
  const claimed = await changeSubscription(store, id, async (subscription) => {
    const now = Date.now();
    const { wake, config, generation } = subscription;
    if (wake !== null && wake.holder !== null && clock.isHeld(store.workspaceId, subscription)) {
      throw new Refusal("ALREADY_CLAIMED", "another worker holds the wake", {
        current_holder: wake.holder,
        generation,
      });
    }
    if (pending.length === 0) throw new Refusal("NO_PENDING_WORK", "everything is acknowledged");
    const open = wake !== null && wake.holder === null ? subscription : withWake(subscription, pending, now);
    if (open.wake === null) return null;
    const held = { ...open.wake, holder: worker, leaseUntil: now + config.leaseTtlMs };
    const next = { ...open, wake: held };
    return { subscription: next, result: next };
  });
  if (claimed === null) throw new Refusal("NO_PENDING_WORK", "everything is acknowledged");
  clock.observe(store.workspaceId, claimed);
  return claimed;
}

export interface Acknowledgement {
  readonly wakeId: unknown;
  /** The generation in the body; `tokenGeneration` is that of the token. */
  readonly generation: unknown;
  readonly tokenGeneration: number;
  readonly acks: readonly Ack[];
  readonly done: boolean;
}

export interface Ack {
  readonly path: string;
  readonly offset: unknown;
}

/** Moves the cursors, and then ends the wake or renews its lease. Errors: a `Refusal`. */
export async function acknowledge(store: Store, id: string, given: Acknowledgement): Promise<void> {
  await changeSubscription(store, id, async (subscription) => {
    const { wake, generation, config } = subscription;
    const isCurrent =
      wake !== null &&
      given.tokenGeneration === generation &&
      given.generation === generation &&
      given.wakeId === wake.id;
    if (!isCurrent) throw new Refusal("FENCED", "the generation of the wake is stale");
    const also = await Promise.all(given.acks.map((ack) => cursorWrite(store, subscription, ack)));
    const leaseUntil = Date.now() + config.leaseTtlMs;
    const next = { ...subscription, wake: given.done ? null : { ...wake, leaseUntil } };
    return { subscription: next, result: null, also };
  });
}

async function cursorWrite(store: Store, subscription: Subscription, { path, offset }: Ack): Promise<Write> {
  const sequence = typeof offset === "string" ? parseOffset(offset) : null;
  if (sequence === null) throw badOffset("an offset is malformed");
  const link = isLinked(subscription, path) ? await linkOf(store, subscription, addressOf(path).logId) : null;
  if (link === null) throw badOffset("an acknowledged stream is not of the subscription");
  if (sequence < (link.acked ?? 0)) throw badOffset("an offset lies before what is acknowledged");
  if (sequence > link.tail) throw badOffset("an offset lies beyond the end of its stream");
  return { type: "cursor", name: cursorName(subscription), logId: link.logId, sequence };
}

function badOffset(message: string): Refusal {
  return new Refusal("INVALID_OFFSET", message);
}

/** Ends a wake whose lease expired: the next wake has a new generation. */
export async function expireWake(
  store: Store,
  id: string,
  { wakeId, clock }: { readonly wakeId: string; readonly clock: WakeClock },
): Promise<void> {
  await changeSubscription(store, id, async (subscription) => {
    const { wake } = subscription;
    if (wake?.id !== wakeId || clock.isHeld(store.workspaceId, subscription)) return null;
    return { subscription: { ...subscription, wake: null, nextAttemptAt: null }, result: null };
  });
}
