/** The pictures of an exported session: their names in an archive, and the pictures that a page shows itself. */

import { fetchThere } from "@continuo/core/client/requests";
import type { BlobPointer, FrameTier, Note, WireEvent } from "@continuo/core/wire";
import type { ServerAccess } from "../channel/index.ts";
import { livePath } from "./lines.ts";

/** The file endings of types that browsers capture and show; other types are stored as bytes. */
const ENDINGS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/avif": "avif",
};

const MAX_FRAME_BYTES = 33_554_432;
/** The largest size of all pictures of a page together, so that a browser can open the page. */
const MAX_PAGE_BYTES = 25_165_824;

export interface Frame {
  readonly sequence: number;
  readonly tier: FrameTier;
  readonly hash: string;
  readonly mediaType: string;
  /** `frames/0-01-05.000-full.jpg`: the time in the medium; its sequence follows if another frame has the same time. */
  readonly name: string;
}

export function framesOf(evidence: readonly WireEvent[]): readonly Frame[] {
  const names = new Set<string>();
  return evidence.flatMap(({ sequence, data }) => {
    const { full, thumbnail, mediaTimeMs } = (data ?? {}) as {
      readonly [tier in FrameTier]?: BlobPointer;
    } & { readonly mediaTimeMs?: number };
    return Object.entries({ full, thumbnail }).flatMap(([tier, pointer]) => {
      if (pointer === undefined) return [];
      const { hash, mediaType = "" } = pointer;
      const ending = ENDINGS[mediaType] ?? "bin";
      const time = fileTimeOf(Number(mediaTimeMs ?? 0));
      const short = `frames/${time}-${tier}.${ending}`;
      const name = names.has(short) ? `frames/${time}-${tier}-${sequence}.${ending}` : short;
      names.add(name);
      return [{ sequence, tier: tier as FrameTier, hash, mediaType, name }];
    });
  });
}

/** Returns the sequence of the frame that a note cites, otherwise of the first frame within the span of the note. */
export function frameOfNote(
  { evidence: ids, startMs, endMs, videoId: video }: Note,
  evidence: readonly WireEvent[],
  pictures: ReadonlyMap<number, string>,
): number | null {
  const frames = evidence.filter(({ sequence }) => pictures.has(sequence));
  const cited = new Set(ids);
  const frame =
    frames.find(({ id }) => cited.has(id)) ??
    frames.find(({ data }) => {
      const { mediaTimeMs, videoId } = (data ?? {}) as {
        readonly mediaTimeMs?: number;
        readonly videoId?: string;
      };
      return videoId === video && mediaTimeMs !== undefined && mediaTimeMs >= startMs && mediaTimeMs <= endMs;
    });
  return frame?.sequence ?? null;
}

/** The pictures of a page as data addresses, by the sequence of their frame: the thumbnail if there is one. */
export async function pagePictures(
  key: string,
  frames: readonly Frame[],
  access: ServerAccess,
): Promise<ReadonlyMap<number, string>> {
  const pictures = new Map<number, string>();
  let bytesLeft = MAX_PAGE_BYTES;
  const bySize = [...frames].sort((a, b) => (a.tier === b.tier ? 0 : a.tier === "thumbnail" ? -1 : 1));
  for (const frame of bySize) {
    if (pictures.has(frame.sequence) || ENDINGS[frame.mediaType] === undefined || bytesLeft <= 0) continue;
    const bytes = await readFrame(key, frame, access);
    if (bytes === null || bytes.length > bytesLeft) continue;
    bytesLeft -= bytes.length;
    const base64 = Buffer.from(bytes).toString("base64");
    pictures.set(frame.sequence, `data:${frame.mediaType};base64,${base64}`);
  }
  return pictures;
}

/** `null` for a picture that has expired, is too large, or cannot be read completely. Errors: `unavailable` for a redirect. */
export async function readFrame(
  key: string,
  { sequence, hash }: Pick<Frame, "sequence" | "hash">,
  { serverUrl, token }: ServerAccess,
): Promise<Uint8Array | null> {
  const path = livePath(key, `/blobs/${encodeURIComponent(hash)}?sequence=${sequence}`);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetchThere(`${serverUrl}${path}`, { headers });
  if (!response.ok || Number(response.headers.get("content-length")) > MAX_FRAME_BYTES) {
    await response.body?.cancel();
    return null;
  }
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch {
    // The server cannot read the picture, or no longer runs; then the next request fails too.
    return null;
  }
}

/** `0-01-05.000`: up to ten hours, files that are sorted by name are in the order of the medium. */
function fileTimeOf(ms: number): string {
  const whole = Math.max(0, Math.floor(ms));
  const two = (number: number): string => String(number).padStart(2, "0");
  const seconds = Math.floor(whole / 1_000);
  const time = `${Math.floor(seconds / 3_600)}-${two(Math.floor(seconds / 60) % 60)}-${two(seconds % 60)}`;
  return `${time}.${String(whole % 1_000).padStart(3, "0")}`;
}
