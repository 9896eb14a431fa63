/** The streams of a subscription: the acknowledged position of each, and its end. */

import { isPassing, type Log, listAll, type Store } from "@continuo/core/model";
import { addressOf, formatOffset, pathOfLog } from "@continuo/core/wire";
import type { Subscription } from "./documents.ts";
import { literalPrefix, matchesPattern } from "./glob.ts";

export interface StreamLink {
  readonly path: string;
  readonly logId: string;
  readonly linkType: "explicit" | "glob";
  /** `null` if nothing was acknowledged yet. */
  readonly acked: number | null;
  readonly tail: number;
}

export const MAX_LINKS = 1_000;

export function isPending({ acked, tail }: StreamLink): boolean {
  return tail > (acked ?? 0);
}

export function isLinked({ config, explicit }: Subscription, path: string): boolean {
  if (path === config.wakeStream) return false;
  return explicit.includes(path) || (config.pattern !== null && matchesPattern(config.pattern, path));
}

export function cursorName({ id }: Pick<Subscription, "id">): string {
  return `subscription/${id}`;
}

export async function linkOf(
  store: Store,
  subscription: Subscription,
  logId: string,
): Promise<StreamLink | null> {
  const path = pathOfLog(logId);
  if (path === null || !isLinked(subscription, path)) return null;
  const log = await store.getLog(logId).catch(nothingFound);
  const cursor = await store.getCursor({ logId, name: cursorName(subscription) }).catch(nothingFound);
  return {
    path,
    logId,
    linkType: subscription.explicit.includes(path) ? "explicit" : "glob",
    acked: cursor?.sequence ?? null,
    tail: log?.latestSequence ?? 0,
  };
}

/** Every log that is linked now, acknowledged or not. */
export async function* linkedLogs(store: Store, subscription: Subscription): AsyncGenerator<Log> {
  const { pattern } = subscription.config;
  for (const path of subscription.explicit) {
    const log = await store.getLog(addressOf(path).logId).catch(nothingFound);
    if (log !== null) yield log;
  }
  if (pattern === null) return;
  const range = { ...prefixOf(pattern), limit: 1_000 };
  for await (const log of listAll((place) => store.listLogs({ ...range, ...place }))) {
    const path = pathOfLog(log.logId);
    if (path !== null && !subscription.explicit.includes(path) && isLinked(subscription, path)) yield log;
  }
}

/** Returns `null` for a log that cannot be read. Throws if the store is unavailable, so that no log is overlooked. */
export function nothingFound(error: unknown): null {
  if (isPassing(error)) throw error;
  return null;
}

/** The beginning of the logs' ids, if it is known. */
function prefixOf(pattern: string): { readonly prefix?: string } {
  const literal = literalPrefix(pattern);
  if (literal.startsWith("channels/")) return { prefix: literal };
  const isOfStreams = literal.includes("/") && !literal.startsWith("sessions/");
  return isOfStreams ? { prefix: `streams/${literal}` } : {};
}

/** Marks existing streams as acknowledged when they are linked. */
export async function acknowledgeAll(store: Store, subscription: Subscription): Promise<void> {
  const name = cursorName(subscription);
  for await (const { logId, latestSequence } of linkedLogs(store, subscription)) {
    await store.commitCursor({ logId, name, sequence: latestSequence });
  }
}

export function toStreamInfo(link: StreamLink): object {
  return {
    path: link.path,
    link_type: link.linkType,
    acked_offset: link.acked === null ? "-1" : formatOffset(link.acked),
    tail_offset: formatOffset(link.tail),
    has_pending: isPending(link),
  };
}
