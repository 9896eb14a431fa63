/**
 * Finds the session that has the notes of a video, which is the newest of its sessions. A tab that opens a video with
 * an open session joins that session; the session ends when its last tab has left.
 */

import { type ClaimWrite, isContinuoError, type Store } from "@continuo/core/model";
import { isFields, sha256 } from "../kit/index.ts";

export interface VideoEntry {
  readonly sessionId: string;
  /** Grows each time the video gets another session. */
  readonly generation: number;
  /** The key that began the session; empty in an entry of an earlier version. */
  readonly key: string;
  /** The names of keys that the client of that key may use. */
  readonly reach: readonly string[];
}

const VIDEOS = "live/video/";

export async function findVideo(store: Store, videoId: string): Promise<VideoEntry | null> {
  const claim = await store.getClaim(`${VIDEOS}${sha256(videoId)}`);
  if (claim === null) return null;
  const { owner: sessionId, generation, data } = claim;
  const { key, reach } = isFields(data) ? data : {};
  return {
    sessionId,
    generation,
    key: typeof key === "string" ? key : "",
    reach: Array.isArray(reach) ? reach.map(String) : [],
  };
}

/** Stores the entry; returns `null` if the video got another session after the entry was read. */
export async function setVideo(store: Store, videoId: string, entry: VideoEntry): Promise<VideoEntry | null> {
  try {
    await store.putClaim(claimOfVideo(videoId, entry));
    return entry;
  } catch (error) {
    if (isContinuoError(error, "fenced")) return null;
    throw error;
  }
}

/** Returns the claim of a video whose newest session is that of the entry. */
export function claimOfVideo(
  videoId: string,
  { sessionId, generation, key, reach }: VideoEntry,
): Omit<ClaimWrite, "type"> {
  const name = `${VIDEOS}${sha256(videoId)}`;
  return { name, generation, owner: sessionId, status: "open", data: { videoId, key, reach } };
}
