/** Opens a picture through the event that refers to it. */

import { ContinuoError, type OpenedBlob, type Store } from "@continuo/core/model";
import { isoOf } from "../kit/index.ts";
import { isKept, pointersIn, referencesTo } from "./frame-references.ts";

export interface FrameOwner {
  readonly sessionId: string;
  readonly videoId: string;
}

/** Errors: `not_found`, also for an expired picture. */
export async function openPicture(
  { store, nowMs }: { readonly store: Store; readonly nowMs: number },
  { sessionId, videoId }: FrameOwner,
  { sequence, hash }: { readonly sequence: number; readonly hash: string },
): Promise<OpenedBlob> {
  const [event] = (await store.read(sessionId, { after: sequence - 1, limit: 1 })).events;
  const pointers = event?.sequence === sequence ? pointersIn(event.data) : [];
  const now = isoOf(nowMs);
  const pointing = pointers.filter((pointer) => pointer.hash === hash);
  const isAhead = ({ expiresAt }: { readonly expiresAt?: string }): boolean =>
    expiresAt !== undefined && expiresAt > now;
  // An event can claim anything: the server must hold the picture for the session as well.
  const references = pointing.length === 0 ? [] : await referencesTo(store, hash, sessionId);
  const isHeld = pointing.some(isAhead) && references.some(isAhead);
  if (references.length === 0 || !(isHeld || (await isKept(store, hash, videoId)))) {
    throw new ContinuoError("not_found", "the event refers to no such picture, or the picture was removed");
  }
  return store.openBlob(hash);
}
