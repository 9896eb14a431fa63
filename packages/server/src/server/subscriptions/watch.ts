/**
 * Finds changes since the last check, and the subscriptions to wake for them. Every server checks all changes by
 * itself, no matter which server wrote them; if several want to wake the same subscription, one succeeds.
 */

import { messageOf, present, type Store } from "@continuo/core/model";
import { pathOfLog } from "@continuo/core/wire";
import type { ServerContext } from "../context/index.ts";
import { deliver, takeAttempt } from "./deliveries.ts";
import { listSubscriptions, listWorkspaces, SERVER_WORKSPACE, type Subscription } from "./documents.ts";
import { openSigningKeys, type SigningKeys } from "./keys.ts";
import { isLinked, isPending, linkedLogs, linkOf, MAX_LINKS, type StreamLink } from "./links.ts";
import { WakeClock } from "./wake-clock.ts";
import { expireWake, makeWake } from "./wakes.ts";

const LOOK_MS = 100;
const WORKSPACES_MS = 1_000;
const MAX_DELIVERIES = 64;

/** The state of a workspace that one server remembers. */
interface WatchMark {
  mark: string;
  /** The logs that may have new records, by the id and the time of creation of the subscription. */
  readonly candidates: Map<string, Set<string>>;
}

export class Watch {
  readonly clock: WakeClock = new WakeClock();
  readonly #context: ServerContext;
  readonly #workspaces = new Map<string, WatchMark>();
  readonly #looking = new Map<string, Promise<readonly Subscription[]>>();
  readonly #deliveries = new Set<Promise<void>>();
  #keys: Promise<SigningKeys> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #known: readonly string[] = [];
  #knownAt = Number.NEGATIVE_INFINITY;
  #round: Promise<void> = Promise.resolve();
  #lastProblem = "";

  constructor(context: ServerContext) {
    this.#context = context;
  }

  start(): void {
    const next = (): void => {
      if (this.#context.draining.aborted) return;
      this.#timer = setTimeout(() => {
        this.#round = this.#lookAtAll().then(next);
      }, LOOK_MS);
      this.#timer.unref();
    };
    next();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#round;
    await Promise.allSettled(this.#deliveries);
  }

  /** The keys are created on first use, so a server without subscriptions has none. */
  keys(): Promise<SigningKeys> {
    this.#keys ??= openSigningKeys(this.#context.store(SERVER_WORKSPACE), this.#context.webhookKey).catch(
      (error) => {
        this.#keys = undefined;
        throw error;
      },
    );
    return this.#keys;
  }

  /** Returns the streams that now have records which are not acknowledged. */
  async pendingOf(workspaceId: string, id: string): Promise<readonly StreamLink[]> {
    const subscriptions = await this.#look(workspaceId);
    const subscription = subscriptions.find((one) => one.id === id);
    return subscription === undefined ? [] : this.#pending(workspaceId, subscription);
  }

  /** Creates a wake if there are unacknowledged records; false if there are none, or a worker holds a wake. */
  async wakeIfPending(workspaceId: string, id: string): Promise<boolean> {
    const subscriptions = await this.#look(workspaceId);
    const subscription = subscriptions.find((one) => one.id === id);
    return subscription === undefined ? false : this.#evaluate(workspaceId, subscription);
  }

  async #lookAtAll(): Promise<void> {
    try {
      if (performance.now() - this.#knownAt >= WORKSPACES_MS) {
        this.#known = await listWorkspaces(this.#context);
        this.#knownAt = performance.now();
      }
      for (const workspaceId of this.#known) {
        for (const subscription of await this.#look(workspaceId))
          await this.#evaluate(workspaceId, subscription);
      }
      this.#lastProblem = "";
    } catch (error) {
      if (this.#context.draining.aborted) return;
      const problem = messageOf(error);
      if (problem !== this.#lastProblem) this.#context.report(`cannot check the subscriptions: ${problem}`);
      this.#lastProblem = problem;
    }
  }

  /** Only one check of a workspace runs at a time; a call during a check waits, and then begins a new check. */
  #look(workspaceId: string): Promise<readonly Subscription[]> {
    const before = this.#looking.get(workspaceId) ?? Promise.resolve([]);
    const look = before.catch(() => []).then(() => this.#lookNow(workspaceId));
    this.#looking.set(workspaceId, look);
    return look.finally(() => {
      if (this.#looking.get(workspaceId) === look) this.#looking.delete(workspaceId);
    });
  }

  async #lookNow(workspaceId: string): Promise<readonly Subscription[]> {
    const store = this.#context.store(workspaceId);
    const subscriptions = (await listSubscriptions(store)).map(({ subscription }) => subscription);
    if (subscriptions.length === 0) {
      this.#workspaces.delete(workspaceId);
      return [];
    }
    let watched = this.#workspaces.get(workspaceId);
    if (watched === undefined) {
      watched = { mark: (await store.listLogs({ limit: 1 })).mark, candidates: new Map() };
      this.#workspaces.set(workspaceId, watched);
    }
    await addChanged(store, watched, subscriptions);
    await addUnknown(store, watched, subscriptions);
    return subscriptions;
  }

  async #pending(workspaceId: string, subscription: Subscription): Promise<readonly StreamLink[]> {
    const store = this.#context.store(workspaceId);
    const candidates = this.#workspaces.get(workspaceId)?.candidates.get(keyOf(subscription)) ?? new Set();
    const pending: StreamLink[] = [];
    for (const logId of candidates) {
      const link = await linkOf(store, subscription, logId);
      if (link !== null && isPending(link)) pending.push(link);
      // A later append makes the log a candidate again.
      else candidates.delete(logId);
      if (pending.length >= MAX_LINKS) break;
    }
    return pending;
  }

  async #evaluate(workspaceId: string, subscription: Subscription): Promise<boolean> {
    const store = this.#context.store(workspaceId);
    const { id, wake } = subscription;
    const { clock } = this;
    if (wake !== null && clock.isDue(workspaceId, subscription)) {
      const taken = await takeAttempt(store, id, { wakeId: wake.id, clock });
      if (taken !== null) this.#send(workspaceId, taken, await this.#pending(workspaceId, taken));
      return false;
    }
    if (clock.isHeld(workspaceId, subscription)) return false;
    if (wake !== null) await expireWake(store, id, { wakeId: wake.id, clock });
    const pending = await this.#pending(workspaceId, subscription);
    if (pending.length === 0) return false;
    const woken = await makeWake(store, id, pending);
    if (woken !== null) this.#send(workspaceId, woken, pending);
    return woken !== null;
  }

  #send(workspaceId: string, subscription: Subscription, links: readonly StreamLink[]): void {
    // A webhook that is not sent now is tried again when the lease ends.
    if (subscription.config.type !== "webhook" || this.#deliveries.size >= MAX_DELIVERIES) return;
    const store = this.#context.store(workspaceId);
    const allowed = this.#context.webhookHosts;
    const delivery = this.keys()
      .then((keys) => deliver({ store, workspaceId, subscription, links, keys, allowed }))
      .catch((error: unknown) => {
        if (this.#context.draining.aborted) return;
        this.#context.report(
          `a webhook could not be sent: ${error instanceof Error ? error.message : error}`,
        );
      })
      .finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
  }
}

function keyOf({ id, createdAt }: Subscription): string {
  return `${createdAt} ${id}`;
}

/** The next check starts at the mark of the first page, so that no change during this check is missed. */
async function addChanged(
  store: Store,
  watched: WatchMark,
  subscriptions: readonly Subscription[],
): Promise<void> {
  const since = watched.mark;
  let mark = since;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<Store["listLogs"]>> = await store.listLogs(
      present({ changedAfter: since, limit: 1_000, cursor }),
    );
    if (cursor === undefined) mark = page.mark;
    for (const { logId } of page.items) {
      const path = pathOfLog(logId);
      if (path === null) continue;
      for (const subscription of subscriptions) {
        if (isLinked(subscription, path)) watched.candidates.get(keyOf(subscription))?.add(logId);
      }
    }
    cursor = page.nextCursor;
  }
  // The mark is set only at the end, so that a check during which the store failed is repeated from the same mark.
  watched.mark = mark;
}

/** For a subscription that is new to this server, every log may have new records. */
async function addUnknown(
  store: Store,
  watched: WatchMark,
  subscriptions: readonly Subscription[],
): Promise<void> {
  const keys = new Set(subscriptions.map(keyOf));
  for (const key of watched.candidates.keys()) if (!keys.has(key)) watched.candidates.delete(key);
  for (const subscription of subscriptions) {
    const key = keyOf(subscription);
    if (watched.candidates.has(key)) continue;
    const candidates = new Set<string>();
    for await (const { logId } of linkedLogs(store, subscription)) candidates.add(logId);
    // The set is stored only when it is complete: an incomplete set would hide the other logs from this server.
    watched.candidates.set(key, candidates);
  }
}
