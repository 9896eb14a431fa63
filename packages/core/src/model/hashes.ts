/**
 * The hashes of a log. A payload is hashed separately, so that it can be pruned; the chain is hashed over everything
 * else and the payload's hash, so that nothing can be changed, moved or removed without notice.
 */

import type { Actor, Retention } from "./events/index.ts";

/** SHA-256 of UTF-8 text or bytes, as 64 lower-case hex digits. */
export type Sha256 = (data: string | Uint8Array) => string;

/** The chain hash before the first event of a log. */
export const CHAIN_START: string = "0".repeat(64);

/** One link of the chain. An absent field is `undefined`, and is not hashed. */
export interface ChainedEvent {
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly parentId?: string | undefined;
  readonly actor: Actor;
  readonly runId?: string | undefined;
  readonly occurredAt: string;
  readonly recordedAt: string;
  readonly retention: Retention;
  readonly payloadHash: string;
  readonly blobs?: readonly string[] | undefined;
}

/**
 * Returns the SHA-256 of the canonical JSON of a payload, or of its bytes. A salt and a line feed come before them,
 * so that a short secret cannot be guessed after the salt was removed.
 */
export function payloadHash(sha256: Sha256, canonical: string | Uint8Array, salt?: string): string {
  if (salt === undefined) return sha256(canonical);
  if (typeof canonical === "string") return sha256(`${salt}\n${canonical}`);
  const head = new TextEncoder().encode(`${salt}\n`);
  const salted = new Uint8Array(head.length + canonical.length);
  salted.set(head);
  salted.set(canonical, head.length);
  return sha256(salted);
}

/**
 * SHA-256 over the lines `continuo/1`, the previous chain hash (`CHAIN_START` before the first event) and
 * the RFC 8785 form of the event without its log's id, so that forks share the chain of their prefix.
 */
export function chainHash(sha256: Sha256, previous: string, event: ChainedEvent): string {
  const { agent, id, kind } = event.actor;
  // The keys are in canonical order, and `JSON.stringify` leaves out undefined fields.
  const canonical = JSON.stringify({
    actor: { agent, id, kind },
    blobs: event.blobs,
    id: event.id,
    occurredAt: event.occurredAt,
    parentId: event.parentId,
    payloadHash: event.payloadHash,
    recordedAt: event.recordedAt,
    retention: event.retention,
    runId: event.runId,
    sequence: event.sequence,
    type: event.type,
  });
  return sha256(`continuo/1\n${previous}\n${canonical}`);
}
