/** Requests about all sessions of the server: their list, their pictures, and those that a person deleted. */

import type { LiveSession } from "@continuo/core/client/live";
import { evidenceOf, type RemovedLiveSession, type WireEvent } from "@continuo/core/wire";
import { LIMITS } from "../limits.ts";
import type { Server } from "../messages/messages.ts";
import type { ShownFrame } from "./panel-view.ts";
import { requestJson, requestPicture } from "./requests.ts";
import type { EvidenceTexts, PicturedText, SpokenText } from "./view.ts";

export function pathOf(key: string): string {
  return `/v1/live/${encodeURIComponent(key)}`;
}

/**
 * Lists the sessions, the newest first; a session of joined tabs is listed only once. The server lists by key, in
 * pages.
 */
export async function earlierSessions(server: Server): Promise<readonly LiveSession[]> {
  const found = new Map<string, LiveSession>();
  for await (const session of pagesOf<LiveSession>(server, "")) found.set(session.sessionId, session);
  const newest = [...found.values()].sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  return newest.slice(0, LIMITS.shownSessions);
}

/** The sessions that can be brought back, the newest deletion first. */
export async function removedSessions(server: Server): Promise<readonly RemovedLiveSession[]> {
  const found: RemovedLiveSession[] = [];
  for await (const session of pagesOf<RemovedLiveSession>(server, "status=removed")) {
    // A server of an earlier version ignores the filter and lists the existing sessions.
    if (session.removedAt !== undefined) found.push(session);
  }
  return found.sort((a, b) => b.removedAt.localeCompare(a.removedAt)).slice(0, LIMITS.shownSessions);
}

async function* pagesOf<Session>(server: Server, query: string): AsyncGenerator<Session> {
  let count = 0;
  for (let cursor: string | null = ""; cursor !== null && count < LIMITS.readSessions; ) {
    const from: string = cursor === "" ? "" : `cursor=${encodeURIComponent(cursor)}`;
    const page = (await requestJson(
      server,
      "GET",
      `/v1/live?${[query, from].filter(Boolean).join("&")}`,
    )) as {
      readonly sessions: readonly Session[];
      readonly nextCursor: string | null;
    };
    count += page.sessions.length;
    yield* page.sessions;
    cursor = page.nextCursor;
  }
}

interface EvidencePage {
  readonly events: readonly WireEvent[];
  readonly nextAfter: number | null;
}

/** The texts of a session's evidence, and its frames. */
export interface EvidenceView extends EvidenceTexts {
  /** Frames that have a small picture. */
  readonly frames: readonly ShownFrame[];
}

/** The evidence of the newest session of a key: its transcript, the texts in its pictures, and its frames. */
export async function textsIn(server: Server, key: string): Promise<EvidenceView> {
  const spoken: SpokenText[] = [];
  const pictured: PicturedText[] = [];
  const frames: ShownFrame[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = (await requestJson(server, "GET", `${pathOf(key)}/evidence?after=${after}`)) as EvidencePage;
    for (const event of page.events) {
      const heard = evidenceOf(event);
      if (heard === null) continue;
      const { id, sequence } = event;
      const { startMs, endMs, text, speaker, thumbnail, videoId } = heard;
      if (heard.type === "transcript_added" && text !== "") {
        spoken.push({ id, startMs, endMs, text, speaker: speaker ?? "" });
      }
      if (heard.type !== "frame_captured") continue;
      if (text !== "") pictured.push({ startMs, text });
      if (thumbnail !== null) frames.push({ id, sequence, mediaTimeMs: startMs, thumbnail, videoId });
    }
    after = page.nextAfter;
  }
  const inOrder = (a: PicturedText, b: PicturedText): number => a.startMs - b.startMs;
  return { spoken: spoken.sort(inOrder), pictured: pictured.sort(inOrder), frames };
}

/**
 * Returns a small picture of a session as a `data:` URL; `null` if there is none. It is the middle one of the first
 * page of evidence, because the first pictures often show titles.
 */
export async function thumbnailOf(server: Server, key: string): Promise<string | null> {
  const page = (await requestJson(server, "GET", `${pathOf(key)}/evidence?after=0`)) as EvidencePage;
  const frames = page.events.flatMap((event) => {
    const hash = evidenceOf(event)?.thumbnail ?? null;
    return hash === null ? [] : [{ hash, sequence: event.sequence }];
  });
  const frame = frames[Math.floor(frames.length / 2)];
  if (frame === undefined) return null;
  const place = `${pathOf(key)}/blobs/${encodeURIComponent(frame.hash)}?sequence=${frame.sequence}`;
  // A picture that has expired or cannot be read is not shown.
  return await requestPicture(server, place).catch(() => null);
}
