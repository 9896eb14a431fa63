/** Reads the captions that a page listed, and the times of transcripts, from the logs of the sessions of a video. */

import type { EventPage, Session, Store } from "@continuo/core/model";
import type { ListedCue, Span } from "@continuo/core/wire";
import { findSession, isFields, LIMITS } from "../kit/index.ts";

export interface ListedCaptions {
  /** A cache key, which changes when the captions change. */
  readonly version: string;
  readonly lang: string;
  /** In the order of the medium, each once. */
  readonly cues: readonly ListedCue[];
}

/** The sessions of an outline, and its video: tabs of other videos can join a session. */
export interface OutlinePlace {
  readonly sessions: readonly string[];
  readonly isOfVideo: (data: Readonly<Record<string, unknown>>) => boolean;
}

const NO_CAPTIONS: ListedCaptions = { version: "", lang: "", cues: [] };

/** If `videoId` is missing, the session's own video is used. Errors: those of the store. */
export async function outlinePlace(store: Store, sessionId: string, videoId?: string): Promise<OutlinePlace> {
  const session = await findSession(store, sessionId);
  const { live } = session?.metadata ?? {};
  const own = isFields(live) ? live.videoId : undefined;
  // Earlier sessions have only their own video.
  if (videoId !== undefined && videoId !== own)
    return { sessions: [sessionId], isOfVideo: (data) => data.videoId === videoId };
  const isOfVideo: OutlinePlace["isOfVideo"] = (data) => data.videoId === undefined || data.videoId === own;
  return { sessions: await sessionsOfVideo(store, sessionId), isOfVideo };
}

/** The session and those whose notes it took over, the newest first. Errors: those of the store. */
async function sessionsOfVideo(store: Store, sessionId: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let id: string | null = sessionId; id !== null && ids.length <= LIMITS.ancestors; ) {
    const session: Session | null = await findSession(store, id);
    if (session === null) break;
    ids.push(id);
    const { live } = session.metadata;
    const { continues, parentId } = isFields(live) ? live : {};
    id = continues === "video" && typeof parentId === "string" ? parentId : null;
  }
  return ids;
}

/** The newest listed captions, all of one language. Errors: those of the store. */
export async function readListed(
  store: Store,
  { sessions, isOfVideo }: OutlinePlace,
): Promise<ListedCaptions> {
  for (const sessionId of sessions) {
    const listed = await listedIn(store, sessionId, isOfVideo);
    if (listed.cues.length > 0) return listed;
  }
  return NO_CAPTIONS;
}

async function listedIn(
  store: Store,
  sessionId: string,
  isOfVideo: OutlinePlace["isOfVideo"],
): Promise<ListedCaptions> {
  const { events } = await store.read(sessionId, { types: ["captions_listed"], order: "newest" });
  const lists = events.flatMap(({ data }) => (isFields(data) && isOfVideo(data) ? [data] : []));
  const lang = langIn(lists.at(-1));
  const cues = new Map<string, ListedCue>();
  for (const list of lists.filter((one) => langIn(one) === lang)) {
    for (const cue of Array.isArray(list.cues) ? (list.cues as readonly ListedCue[]) : []) {
      if (cues.size >= LIMITS.outlineCues) break;
      cues.set(`${cue.startMs}.${cue.endMs}.${cue.text}`, cue);
    }
  }
  return {
    version: `${sessionId}.${events.at(-1)?.sequence ?? 0}.${String(lists.at(-1)?.videoId ?? "")}`,
    lang,
    cues: [...cues.values()].sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs),
  };
}

function langIn(list: Readonly<Record<string, unknown>> | undefined): string {
  return typeof list?.lang === "string" ? list.lang : "";
}

/** The times in the video at which these sessions have transcripts. Errors: those of the store. */
export async function readHeard(
  store: Store,
  { sessions, isOfVideo }: OutlinePlace,
): Promise<readonly Span[]> {
  const heard: Span[] = [];
  for (const sessionId of sessions) {
    for (let after: number | null = 0; after !== null && heard.length < LIMITS.watchedPieces; ) {
      const page: EventPage = await store.read(sessionId, {
        after,
        types: ["transcript_added"],
      });
      for (const { data } of page.events) {
        const { mediaTimeMs: startMs, endMs } = isFields(data) ? data : {};
        if (typeof startMs !== "number" || !isFields(data) || !isOfVideo(data)) continue;
        heard.push({ startMs, endMs: typeof endMs === "number" ? endMs : startMs });
      }
      after = page.nextAfter;
    }
  }
  return heard;
}
