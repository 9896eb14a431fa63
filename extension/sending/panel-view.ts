/**
 * The part of a session that a panel receives: the newest notes with their evidence, and the markers of all notes that
 * have room on the timeline. Its size stays bounded, even if a person watches for hours. Pure.
 */

import type { LiveSession, Note } from "@continuo/core/client/live";
import { cutText, present } from "@continuo/core/model";
import type { LivePage, PageItem } from "@continuo/core/wire";
import { LIMITS } from "../limits.ts";
import { heardLast, type LineSentence } from "./live-line.ts";
import { remarksOf, type ShownRemark } from "./remarks.ts";
import type { SessionView, ShownEvidence } from "./view.ts";

/** A note's place on the timeline. */
export interface Marker {
  readonly noteId: string;
  readonly startMs: number;
  /** The beginning of its text. */
  readonly text: string;
}

export interface Timeline {
  readonly endMs: number;
  readonly markers: readonly Marker[];
}

/** A passage that an item of the page, or an answer, cites. */
export interface Citation {
  /** The id of its event; missing if the passage belongs to an earlier session. */
  readonly id?: string;
  readonly startMs: number;
  /** Its words; empty if the passage belongs to an earlier session. */
  readonly text: string;
}

export interface PanelPageItem extends Omit<PageItem, "evidence" | "videoId"> {
  readonly citations: readonly Citation[];
  /** The video to which its times belong, if that is not the video of the tab. */
  readonly elsewhere?: string;
}

export interface PanelPage extends Omit<LivePage, "items"> {
  readonly items: readonly PanelPageItem[];
}

/** The frame that belongs to a note. */
export type NoteFrame = Pick<ShownEvidence, "thumbnail" | "sequence" | "mediaTimeMs">;

/** A frame as evidence. */
export type ShownFrame = NoteFrame & Pick<ShownEvidence, "id" | "videoId">;

/** Words that a page can cite. */
export type CitedWords = Pick<ShownEvidence, "id" | "mediaTimeMs" | "text">;

/** The video of a session, and that of the tab that shows it: the tab may have joined the session of another video. */
export interface TabVideo {
  readonly session: string;
  readonly tab: string;
}

export interface PanelSession extends Omit<SessionView, "session" | "page" | "remarks"> {
  /** Remarks that no note has yet, and that are not before the shown notes. */
  readonly remarks: readonly ShownRemark[];
  readonly page: PanelPage | null;
  /** The keys are the ids of the shown notes. */
  readonly frames: Readonly<Record<string, NoteFrame>>;
  /** The videos of those shown notes that do not belong to the video of the tab; the keys are the ids of the notes. */
  readonly elsewhere: Readonly<Record<string, string>>;
  /** The number of notes that come before those in `notes`. */
  readonly earlier: number;
  /** The number of notes that were taken over; `carried` names those among the shown ones. */
  readonly carriedCount: number;
  readonly timeline: Timeline;
  /** The newest sentences that were heard. */
  readonly line: readonly LineSentence[];
  readonly session: SessionFacts | null;
}

/** The facts of a session that the panel shows. A `LiveSession` also lists every note that it ever had. */
export type SessionFacts = Pick<
  LiveSession,
  "state" | "noteWriter" | "isWriterFree" | "cost" | "budget" | "health" | "createdAt" | "lastActivityAt"
>;

export interface PanelRoom {
  /** The number of the newest notes that are sent with their whole content. */
  readonly notes: number;
  /** The length of the video, if it is known. */
  readonly durationMs: number | null;
}

export function toPanelSession(view: SessionView, { notes: room, durationMs }: PanelRoom): PanelSession {
  const notes = view.notes.slice(-room);
  const shown = new Set(notes.map(({ noteId }) => noteId));
  const named = new Set(notes.flatMap(({ evidence }) => evidence));
  const sessionVideo = view.session?.videoId ?? view.videoId;
  const videoOf = ({ videoId }: { readonly videoId?: string | null }): string => videoId ?? sessionVideo;
  const here = view.notes.filter((note) => videoOf(note) === view.videoId);
  const others = notes.filter((note) => videoOf(note) !== view.videoId);
  const lastMs = view.outline?.chapters.at(-1)?.endMs ?? 0;
  const endMs = here.reduce((last, note) => Math.max(last, note.endMs), Math.max(durationMs ?? 0, lastMs));
  const earlier = view.notes.length - notes.length;
  const fromMs = earlier === 0 ? 0 : (notes[0]?.startMs ?? 0);
  return {
    ...view,
    notes,
    remarks: remarksOf(view).filter(({ mediaTimeMs }) => mediaTimeMs >= fromMs),
    carried: view.carried.filter((noteId) => shown.has(noteId)),
    carriedCount: view.carried.length,
    elsewhere: Object.fromEntries(others.map((note) => [note.noteId, videoOf(note)])),
    earlier,
    evidence: view.evidence.filter(({ id }) => named.has(id)),
    frames: framesOf(notes, view.evidence),
    page:
      view.page === null
        ? null
        : toPanelPage(view.page, view.evidence, { session: sessionVideo, tab: view.videoId ?? sessionVideo }),
    timeline: { endMs, markers: markersOf(here, endMs * LIMITS.markerShare) },
    line: heardLast(view.evidence.filter((one) => videoOf(one) === view.videoId)),
    session: view.session === null ? null : parts(view.session),
  };
}

/**
 * Finds for each note a frame on which it is based; otherwise the last frame during the time of the note, or shortly
 * before it.
 */
export function framesOf(
  notes: readonly Note[],
  evidence: readonly ShownFrame[],
): Readonly<Record<string, NoteFrame>> {
  const shown = evidence.filter(({ thumbnail }) => thumbnail !== null);
  const frames: Record<string, NoteFrame> = {};
  for (const { noteId, evidence: ids, startMs, endMs, videoId: video = null } of notes) {
    const fromMs = startMs - LIMITS.noteFrameMs;
    const found =
      shown.find(({ id }) => ids.includes(id)) ??
      shown.findLast(
        ({ mediaTimeMs: atMs, videoId = null }) => videoId === video && atMs >= fromMs && atMs <= endMs,
      );
    if (found === undefined) continue;
    const { thumbnail, sequence, mediaTimeMs } = found;
    frames[noteId] = { thumbnail, sequence, mediaTimeMs };
  }
  return frames;
}

/**
 * Makes the page for the panel: it merges citations that are close together, and puts items about the video of the tab
 * first.
 */
export function toPanelPage(
  page: LivePage,
  evidence: readonly CitedWords[],
  { session, tab }: TabVideo,
): PanelPage {
  const known = new Map(evidence.map((one) => [one.id, one]));
  const items = page.items.map(({ evidence: ids, videoId = session, ...item }): PanelPageItem => {
    const citations = citationsOf(ids.flatMap((id) => known.get(id) ?? []));
    // The passages of an earlier session are not known here, so the item's own time is cited instead.
    const place = { startMs: item.startMs, text: "" };
    return {
      ...item,
      citations: citations.length === 0 ? [place] : citations,
      ...(videoId === tab ? {} : { elsewhere: videoId }),
    };
  });
  const [here, others] = [true, false].map((isHere) =>
    items.filter(({ elsewhere }) => (elsewhere === undefined) === isHere),
  );
  return { ...page, items: [...(here ?? []), ...(others ?? [])] };
}

/** Returns the first passages, in the order of the video, that are far enough apart. */
export function citationsOf(cited: readonly CitedWords[]): readonly Citation[] {
  const citations: Citation[] = [];
  for (const { id, mediaTimeMs: startMs, text } of cited.toSorted((a, b) => a.mediaTimeMs - b.mediaTimeMs)) {
    const last = citations.at(-1);
    if (last !== undefined && startMs - last.startMs < LIMITS.citationApartMs) continue;
    citations.push({ id, startMs, text: cutText(text, LIMITS.markerChars) });
  }
  return citations.slice(0, LIMITS.citations);
}

function parts(session: LiveSession): SessionFacts {
  const { state, noteWriter, isWriterFree, cost, budget, health, createdAt, lastActivityAt } = session;
  return { state, ...present({ noteWriter, isWriterFree }), cost, budget, health, createdAt, lastActivityAt };
}

/** Notes with a marker: the first one, and each that begins far enough after the previous marker. */
export function markersOf(notes: readonly Note[], apartMs: number): readonly Marker[] {
  const markers: Marker[] = [];
  for (const { noteId, startMs, text } of notes.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = markers.at(-1);
    if (last !== undefined && startMs - last.startMs < apartMs) continue;
    markers.push({ noteId, startMs, text: cutText(text, LIMITS.markerChars) });
  }
  return markers;
}
