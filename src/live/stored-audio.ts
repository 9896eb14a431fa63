/** Audio that is sent again because its answer was lost: it is stored once, also where its session ended meanwhile. */

import type { Store, StoredEvent } from "../model/index.ts";
import type { AudioUpload } from "./audio.ts";
import { isFields } from "./fold.ts";
import { LIMITS } from "./limits.ts";
import { sha256 } from "./snapshot.ts";

/** The chunk as it is stored, in the session or in one of those before it; `null` for a new one. Errors: the store's. */
export async function storedAudio(
  store: Store,
  sessionId: string,
  upload: AudioUpload,
): Promise<StoredEvent | null> {
  if (upload.id === undefined) return null;
  const hash = sha256(upload.bytes);
  let nextId: string | null = sessionId;
  for (let n = 0; n <= LIMITS.ancestors && nextId !== null; n++) {
    const session: Awaited<ReturnType<Store["getSession"]>> = await store.getSession(nextId);
    if (session === null) return null;
    const found = await chunkIn(store, nextId, { ...upload, hash });
    if (found !== null) return found;
    nextId = session.parentId;
  }
  return null;
}

async function chunkIn(
  store: Store,
  sessionId: string,
  { id, hash, startMs }: AudioUpload & { readonly hash: string },
): Promise<StoredEvent | null> {
  const place = { fromMs: startMs, toMs: startMs, types: ["evidence_added"], limit: 1_000 };
  const { events } = await store.readMedia(sessionId, place);
  const isSame = ({ data }: StoredEvent): boolean =>
    isFields(data) && isFields(data.content) && data.content.hash === hash;
  return events.find((event) => event.id === id && isSame(event)) ?? null;
}
