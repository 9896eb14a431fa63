/** Subscriptions in the store: one claim each, whose generation lets only one of several concurrent changes succeed. */

import { randomUUID } from "node:crypto";
import { isContinuoError, listAll, type NewEvent, type Store, type Write } from "@continuo/core/model";
import { SERVER_LOGS } from "@continuo/core/wire";
import type { ServerContext } from "../context/index.ts";
import type { SubscriptionConfig } from "./config.ts";
import { Refusal } from "./refusal.ts";

/** A wake asks a worker to read; it has one holder until the lease ends. */
export interface Wake {
  readonly id: string;
  readonly holder: string | null;
  /**
   * Milliseconds since 1970, for people and older servers; the lease itself ends by `WakeClock`. `null` while a wake
   * for pulling waits for a worker.
   */
  readonly leaseUntil: number | null;
  /** The sequences in the wake, by path. */
  readonly snapshot: Readonly<Record<string, number>>;
}

export interface Subscription {
  readonly id: string;
  readonly config: SubscriptionConfig;
  /** The paths that are named one by one now. */
  readonly explicit: readonly string[];
  readonly createdAt: string;
  /** The address for callbacks. */
  readonly baseUrl: string;
  readonly generation: number;
  readonly wake: Wake | null;
  readonly status: "active" | "failed";
  readonly retries: number;
  readonly nextAttemptAt: number | null;
}

export interface SubscriptionVersion {
  readonly subscription: Subscription;
  readonly version: number;
}

const CLAIMS = "subscription/";
const ANCHOR = `${SERVER_LOGS}subscriptions`;
/** A workspace of the server itself, with the names of workspaces that have subscriptions, and the keys of webhooks. */
export const SERVER_WORKSPACE = "continuo.server";
const WORKSPACES = "workspace/";
const MAX_TRIES = 50;

export async function loadSubscription(store: Store, id: string): Promise<SubscriptionVersion | null> {
  const claim = await store.getClaim(`${CLAIMS}${id}`);
  if (claim === null || claim.status === "deleted") return null;
  return { subscription: claim.data as Subscription, version: claim.generation };
}

export async function listSubscriptions(store: Store): Promise<readonly SubscriptionVersion[]> {
  const found: SubscriptionVersion[] = [];
  const claims = listAll((place) =>
    store.listClaims({ prefix: CLAIMS, status: "active", limit: 1_000, ...place }),
  );
  for await (const { data, generation } of claims) {
    found.push({ subscription: data as Subscription, version: generation });
  }
  return found;
}

/** False if the name is taken. */
export async function insertSubscription(store: Store, subscription: Subscription): Promise<boolean> {
  const claim = await store.getClaim(`${CLAIMS}${subscription.id}`);
  if (claim !== null && claim.status !== "deleted") return false;
  return save(store, { subscription, version: claim?.generation ?? 0 }, {});
}

/** Starts again if another server changed it first. Errors: a `Refusal`. */
export async function removeSubscription(store: Store, id: string): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await loadSubscription(store, id);
    if (found === null) return;
    const name = `${CLAIMS}${id}`;
    const claim: Write = {
      type: "claim",
      name,
      generation: found.version + 1,
      owner: randomUUID(),
      status: "deleted",
    };
    if (await tryAppend(store, ANCHOR, [], [claim])) return;
  }
  throw tooManyChanges();
}

export interface Change<T> {
  readonly subscription: Subscription;
  readonly result: T;
  /** Further writes in the same transaction. */
  readonly also?: readonly Write[];
  /** An event for that log, appended in the same transaction. */
  readonly event?: { readonly logId: string; readonly event: NewEvent };
}

/**
 * Reads, changes and stores the subscription; starts again if another server changed it first. `null` changes nothing.
 * Errors: a `Refusal`, also if the subscription does not exist.
 */
export async function changeSubscription<T>(
  store: Store,
  id: string,
  change: (subscription: Subscription) => Promise<Change<T> | null>,
): Promise<T | null> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await loadSubscription(store, id);
    if (found === null) throw new Refusal("SUBSCRIPTION_NOT_FOUND", "there is no such subscription");
    const changed = await change(found.subscription);
    if (changed === null) return null;
    const next = { subscription: changed.subscription, version: found.version };
    if (await save(store, next, changed)) return changed.result;
  }
  throw tooManyChanges();
}

function tooManyChanges(): Refusal {
  return new Refusal("FENCED", "too many others change the subscription at this moment");
}

async function save(
  store: Store,
  { subscription, version }: SubscriptionVersion,
  { also = [], event }: Partial<Change<unknown>>,
): Promise<boolean> {
  const claim: Write = {
    type: "claim",
    name: `${CLAIMS}${subscription.id}`,
    generation: version + 1,
    // The owner is new each time, so that the store refuses a change of an older state.
    owner: randomUUID(),
    status: "active",
    data: subscription,
  };
  return tryAppend(store, event?.logId ?? ANCHOR, event === undefined ? [] : [event.event], [claim, ...also]);
}

async function tryAppend(
  store: Store,
  logId: string,
  events: readonly NewEvent[],
  also: readonly Write[],
): Promise<boolean> {
  try {
    if (logId === ANCHOR) await store.createLog({ logId });
    await store.append(logId, events, { also });
    return true;
  } catch (error) {
    if (isContinuoError(error, "fenced")) return false;
    throw error;
  }
}

/** Lets other servers find the workspace. */
export async function announceWorkspace(context: ServerContext, workspaceId: string): Promise<void> {
  const store = context.store(SERVER_WORKSPACE);
  const name = `${WORKSPACES}${workspaceId}`;
  if ((await store.getClaim(name)) !== null) return;
  await tryAppend(
    store,
    ANCHOR,
    [],
    [{ type: "claim", name, generation: 1, owner: randomUUID(), status: "active" }],
  );
}

export async function listWorkspaces(context: ServerContext): Promise<readonly string[]> {
  const store = context.store(SERVER_WORKSPACE);
  const claims = listAll((place) => store.listClaims({ prefix: WORKSPACES, limit: 1_000, ...place }));
  return Array.fromAsync(claims, ({ name }) => name.slice(WORKSPACES.length));
}
