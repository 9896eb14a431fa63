/**
 * The session that the notes of a video are in: the newest one of its sessions owns them. A tab that opens a video with an
 * open session joins it; the session ends when its last tab has left.
 */

import { isContinuoError, type Store } from "@continuo/core/model";
import { sha256 } from "../kit/index.ts";

export interface VideoEntry {
  readonly sessionId: string;
  /** Grows each time the video gets another session. */
  readonly generation: number;
}

const VIDEOS = "live/video/";

export async function findVideo(store: Store, videoId: string): Promise<VideoEntry | null> {
  const claim = await store.getClaim(`${VIDEOS}${sha256(videoId)}`);
  return claim === null ? null : { sessionId: claim.owner, generation: claim.generation };
}

/** `null` if the video got another session after the entry was read. */
export async function setVideo(
  store: Store,
  videoId: string,
  { sessionId, generation }: VideoEntry,
): Promise<VideoEntry | null> {
  const name = `${VIDEOS}${sha256(videoId)}`;
  try {
    await store.putClaim({ name, generation, owner: sessionId, status: "open", data: { videoId } });
    return { sessionId, generation };
  } catch (error) {
    if (isContinuoError(error, "fenced")) return null;
    throw error;
  }
}
