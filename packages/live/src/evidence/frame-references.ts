/**
 * References of frames to pictures, and their expiry: the store has one claim for each reference. Several events, even
 * of different sessions, can refer to the same bytes, which stay until the last reference expires.
 */

import { type Claim, isContinuoError, listAll, type Store } from "@continuo/core/model";
import { type BlobPointer, type FrameTier, isFields, isoOf, LIMITS, sha256 } from "../kit/index.ts";

const TIERS: readonly FrameTier[] = ["full", "thumbnail"];

export interface FrameReference {
  readonly hash: string;
  readonly sessionId: string;
  readonly videoId: string;
  readonly tier: FrameTier;
  readonly mediaTimeMs: number;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

const REFERENCES = "live/blob/";
const KEPT = "live/kept/";
const OWNER = "live";
/** The expiry of a picture that a person keeps; it is removed with its video. */
const NEVER = "9999-12-31T23:59:59.999Z";

/** Call this before the event is stored, so that a picture is never removed while an event refers to it. */
export async function addReference(store: Store, reference: FrameReference): Promise<"added" | "no picture"> {
  const { hash, expiresAt, ...data } = reference;
  const blob = await store.statBlob(hash);
  if (blob === null) return "no picture";
  const name = nameOf(reference);
  await store.putClaim({ name, generation: 1, owner: OWNER, status: "open", data: { ...data, expiresAt } });
  const until = bytesUntil(expiresAt);
  if (blob.expiresAt !== undefined && blob.expiresAt >= until) return "added";
  return (await setExpiry(store, hash, until)) ? "added" : "no picture";
}

/** Returns the references in the order of their sessions. */
export async function referencesTo(
  store: Store,
  hash: string,
  sessionId?: string,
): Promise<readonly FrameReference[]> {
  const prefix = sessionId === undefined ? `${REFERENCES}${hash}/` : `${REFERENCES}${hash}/${sessionId}/`;
  const found: FrameReference[] = [];
  for await (const claim of claimsOf(store, prefix)) found.push(...referenceIn(claim, hash));
  return found;
}

export async function removeReference(store: Store, reference: FrameReference): Promise<void> {
  await store.deleteClaim({ name: nameOf(reference), generation: 1, owner: OWNER });
}

/** After this call, only the deletion of the video removes the picture. */
export async function keepPicture(store: Store, hash: string, videoId: string): Promise<void> {
  await store.putClaim({ name: keptName(hash, videoId), generation: 1, owner: OWNER, status: "kept" });
  await setExpiry(store, hash, NEVER);
}

/** True if any video, or the given one, keeps the picture. */
export async function isKept(store: Store, hash: string, videoId?: string): Promise<boolean> {
  if (videoId !== undefined) return (await store.getClaim(keptName(hash, videoId))) !== null;
  return (await store.listClaims({ prefix: `${KEPT}${hash}/`, limit: 1 })).items.length > 0;
}

/** Forgets that a deleted video kept the picture. */
export async function forgetKept(store: Store, hash: string, videoId: string): Promise<void> {
  await store.deleteClaim({ name: keptName(hash, videoId), generation: 1, owner: OWNER });
}

/** Sets the expiry of the bytes: never for a picture that is kept, otherwise after its last reference expires. */
export async function settleExpiry(store: Store, hash: string): Promise<void> {
  if (await isKept(store, hash)) return void (await setExpiry(store, hash, NEVER));
  const ends = (await referencesTo(store, hash)).map(({ expiresAt }) => expiresAt).toSorted();
  const last = ends.at(-1);
  await setExpiry(store, hash, last === undefined ? isoOf(0) : bytesUntil(last));
}

/**
 * The time at which the store may remove the bytes by itself: one day after `expiresAt`. Nobody can read them on that
 * day, and the clean-up of pictures can remove them earlier.
 */
export function bytesUntil(expiresAt: string): string {
  return isoOf(Date.parse(expiresAt) + LIMITS.pictureGraceMs);
}

/** The pictures that a frame points to. */
export function pointersIn(data: unknown): readonly (BlobPointer & { readonly tier: FrameTier })[] {
  if (!isFields(data)) return [];
  return TIERS.flatMap((tier) => {
    const pointer = data[tier];
    return isFields(pointer) && typeof pointer.hash === "string"
      ? [{ ...(pointer as unknown as BlobPointer), tier }]
      : [];
  });
}

function nameOf({ hash, sessionId, tier, mediaTimeMs }: FrameReference): string {
  return `${REFERENCES}${hash}/${sessionId}/${tier}/${mediaTimeMs}`;
}

function keptName(hash: string, videoId: string): string {
  return `${KEPT}${hash}/${sha256(videoId)}`;
}

function referenceIn({ data }: Claim, hash: string): readonly FrameReference[] {
  return isFields(data) && typeof data.expiresAt === "string"
    ? [{ ...(data as unknown as FrameReference), hash }]
    : [];
}

function claimsOf(store: Store, prefix: string): AsyncGenerator<Claim, void, void> {
  return listAll((place) => store.listClaims({ prefix, limit: LIMITS.restorePage, ...place }));
}

async function setExpiry(store: Store, hash: string, expiresAt: string): Promise<boolean> {
  try {
    await store.setBlobExpiry(hash, expiresAt);
    return true;
  } catch (error) {
    if (isContinuoError(error, "not_found")) return false;
    throw error;
  }
}
