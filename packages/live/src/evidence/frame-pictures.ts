/** The pictures of a batch for a note writer: one for each change of scene, few and small. */

import { isContinuoError, type Store, type StoredEvent } from "@continuo/core/model";
import { cosineOf, type EvidenceItem, isFields, LIMITS, type NotePicture } from "../kit/index.ts";
import { type FrameOwner, openPicture } from "./open-picture.ts";

export interface PictureOptions {
  readonly store: Store;
  readonly owner: FrameOwner;
  readonly nowMs: number;
  /** The largest number of pictures. */
  readonly count: number;
}

/**
 * Returns the pictures in the order of the medium. A picture that was removed is left out: its description stays.
 * Errors: those of the store.
 */
export async function readPictures(
  frames: readonly EvidenceItem[],
  { store, owner, nowMs, count }: PictureOptions,
): Promise<readonly NotePicture[]> {
  const pictures: NotePicture[] = [];
  for (const { frame, pointer } of shownFrames(frames, count)) {
    const data = await bytesOf({ store, nowMs }, owner, { sequence: frame.sequence, hash: pointer.hash });
    if (data !== null)
      pictures.push({ evidenceId: frame.id, atMs: frame.startMs, mediaType: pointer.mediaType, data });
  }
  return pictures;
}

interface SmallPicture {
  readonly frame: EvidenceItem;
  readonly pointer: { readonly hash: string; readonly mediaType: string; readonly sizeBytes: number };
}

/** The newest pictures that a person captured, and changes of scene among the others, in the order of the medium. */
function shownFrames(frames: readonly EvidenceItem[], count: number): readonly SmallPicture[] {
  const asked = frames.filter(isAsked).flatMap(smallPicture).slice(-count);
  const others = frames.filter((frame) => !isAsked(frame));
  const changes = asked.length < count ? sceneChanges(others, count - asked.length) : [];
  return [...asked, ...changes].toSorted((a, b) => a.frame.startMs - b.frame.startMs);
}

function isAsked({ event }: EvidenceItem): boolean {
  return isFields(event.data) && event.data.asked === true;
}

function smallPicture(frame: EvidenceItem): readonly SmallPicture[] {
  const pointer = smallPointer(frame);
  return pointer === null ? [] : [{ frame, pointer }];
}

/**
 * The first frame, and each frame that differs from the last one that was chosen; spread evenly if there are too many.
 */
function sceneChanges(frames: readonly EvidenceItem[], count: number): readonly SmallPicture[] {
  const changes: SmallPicture[] = [];
  for (const frame of frames.toSorted((a, b) => a.startMs - b.startMs)) {
    const pointer = smallPointer(frame);
    const last = changes.at(-1);
    if (pointer === null || (last !== undefined && !isOtherScene(last, { frame, pointer }))) continue;
    changes.push({ frame, pointer });
  }
  if (changes.length <= count) return changes;
  const step = changes.length / Math.max(1, count);
  return Array.from({ length: count }, (_, n) => changes[Math.floor(n * step)]).filter(
    (one) => one !== undefined,
  );
}

function isOtherScene(a: SmallPicture, b: SmallPicture): boolean {
  if (a.pointer.hash === b.pointer.hash) return false;
  const likeness = sceneLikeness(a.frame.event, b.frame.event);
  return likeness === null
    ? b.frame.startMs - a.frame.startMs >= LIMITS.sceneMs
    : likeness < LIMITS.sameScene;
}

/** The cosine of the embeddings of two frames; `null` if they cannot be compared. */
export function sceneLikeness(a: StoredEvent, b: StoredEvent): number | null {
  const [one, other] = [a, b].map(({ data }) => (isFields(data) ? data : {}));
  const [v, w] = [numbersIn(one?.embedding), numbersIn(other?.embedding)];
  const isEmpty = !v.some(Boolean) || !w.some(Boolean);
  if (isEmpty || v.length !== w.length || one?.embeddingVersion !== other?.embeddingVersion) return null;
  return cosineOf(v, w);
}

function numbersIn(value: unknown): readonly number[] {
  return Array.isArray(value) ? (value as readonly number[]) : [];
}

/** The types that models accept. */
const SHOWN: readonly unknown[] = ["image/jpeg", "image/png", "image/webp", "image/gif"];

/** The full picture if it is small enough, else the thumbnail. */
function smallPointer({ event }: EvidenceItem): SmallPicture["pointer"] | null {
  const { full, thumbnail } = isFields(event.data) ? event.data : {};
  for (const pointer of [full, thumbnail]) {
    if (!isFields(pointer)) continue;
    const { hash, mediaType, sizeBytes } = pointer;
    const isSmall = typeof sizeBytes === "number" && sizeBytes > 0 && sizeBytes <= LIMITS.pictureBytes;
    if (typeof hash === "string" && isSmall && SHOWN.includes(mediaType))
      return { hash, mediaType: String(mediaType), sizeBytes };
  }
  return null;
}

async function bytesOf(
  place: { readonly store: Store; readonly nowMs: number },
  owner: FrameOwner,
  picture: { readonly sequence: number; readonly hash: string },
): Promise<Uint8Array | null> {
  try {
    const { bytes, sizeBytes } = await openPicture(place, owner, picture);
    // The size in the event is only a claim of the client.
    if (sizeBytes > LIMITS.pictureBytes) {
      await bytes[Symbol.asyncIterator]().return?.();
      return null;
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    if (isContinuoError(error, "not_found") || isContinuoError(error, "corrupt")) return null;
    throw error;
  }
}
