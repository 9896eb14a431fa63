/** Makes the view of a session in the side panel from the frames of its socket. Pure. */

import type {
  EvidenceInput,
  LiveServerFrame,
  LiveSession,
  Note,
  PurgeWarning,
} from "@continuo/core/client/live";
import {
  evidenceOf,
  foldRequests,
  type LiveOutline,
  type LivePage,
  type LiveReader,
  type PendingQuestion,
  type ReadableEvidence,
  recordOf,
} from "@continuo/core/wire";
import { LIMITS } from "../limits.ts";
import { counted } from "../watching/source-report.ts";
import { NEW_SENDING_STATE, type SendingState } from "./policy.ts";

/** Evidence in the form in which the panel shows it below a note. */
export interface ShownEvidence {
  readonly id: string;
  readonly type: EvidenceInput["type"];
  readonly sequence: number;
  readonly mediaTimeMs: number;
  readonly endMs: number;
  /** Empty if the language is not known. */
  readonly lang: string;
  readonly text: string;
  /** The hash of a small picture. */
  readonly thumbnail: string | null;
  /** Its video, if that is not the video of the session. */
  readonly videoId: string | null;
}

/** A piece of a transcript. */
export interface SpokenText {
  /** The id of its event. */
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
  /** Empty if the speaker is not known. */
  readonly speaker: string;
}

/** A text that was read in a picture. */
export interface PicturedText {
  readonly startMs: number;
  readonly text: string;
}

/** The texts of a session's evidence, in the order of the video. */
export interface EvidenceTexts {
  readonly spoken: readonly SpokenText[];
  readonly pictured: readonly PicturedText[];
}

/** A remark of a person. */
export interface Remark {
  /** Also the id of its event. */
  readonly id: string;
  readonly mediaTimeMs: number;
  readonly text: string;
}

export interface ContextRequest {
  readonly requestId: string;
  readonly question: string;
}

export interface Failure {
  readonly message: string;
  readonly hint: string;
  /** True if the extension must be connected again. */
  readonly isAccess?: boolean;
}

export interface SessionView {
  readonly key: string;
  readonly title: string;
  readonly videoId: string;
  readonly sessionId: string | null;
  readonly standing: SendingState;
  readonly degraded: string | null;
  readonly depth: number;
  /** Items that wait in the browser, and frames that were dropped to make room. */
  readonly waiting: number;
  readonly framesLeftOut: number;
  readonly failure: Failure | null;
  /** False after the server refused a recording, because it has no transcriber. */
  readonly hasTranscriber: boolean;
  /** The times in the last minute at which speech of the film was stored. */
  readonly filmTimes: readonly number[];
  /** The same for speech of the person. */
  readonly viewerTimes: readonly number[];
  /** The time at which the newest evidence was stored; `null` before the first. */
  readonly storedAtMs: number | null;
  readonly notes: readonly Note[];
  /** The ids of the notes that the session took over from an earlier one of its video, together with their evidence. */
  readonly carried: readonly string[];
  readonly evidence: readonly ShownEvidence[];
  /** Remarks that the server has not stored yet. */
  readonly remarks: readonly Remark[];
  /** Chapters and a summary, if the page has the captions of the whole video; `null` before the server answered. */
  readonly outline: LiveOutline | null;
  /** Summary, chapters, decisions and open questions from the heard words; `null` until the first page is written. */
  readonly page: LivePage | null;
  readonly requests: readonly ContextRequest[];
  readonly purges: readonly PurgeWarning[];
  /** The last report of the server; `null` before the first. */
  readonly session: LiveSession | null;
}

export function newView(session: Pick<SessionView, "key" | "title" | "videoId">): SessionView {
  return {
    ...session,
    sessionId: null,
    standing: NEW_SENDING_STATE,
    degraded: null,
    depth: 0,
    waiting: 0,
    framesLeftOut: 0,
    failure: null,
    hasTranscriber: true,
    filmTimes: [],
    viewerTimes: [],
    storedAtMs: null,
    notes: [],
    carried: [],
    evidence: [],
    remarks: [],
    outline: null,
    page: null,
    requests: [],
    purges: [],
    session: null,
  };
}

const NOTE_EVENTS = /^(note_|decision_made|session_state_changed|checkpoint_written|event_quarantined)/u;

/** True if the notes or the state of the session must be read again after this frame. */
export function changesNotes(frame: LiveServerFrame): boolean {
  return frame.type === "ready" || (frame.type === "event" && NOTE_EVENTS.test(frame.event.type));
}

/** True if the page of the session must be read again after this frame. */
export function changesPage(frame: LiveServerFrame): boolean {
  return frame.type === "ready" || (frame.type === "event" && /^page_/u.test(frame.event.type));
}

export function foldFrame(view: SessionView, frame: LiveServerFrame): SessionView {
  switch (frame.type) {
    case "hello": {
      const isOther = view.sessionId !== frame.sessionId;
      const fresh = isOther
        ? {
            carried: [],
            evidence: [],
            outline: null,
            page: null,
            requests: [],
            purges: [],
            degraded: null,
            filmTimes: [],
            viewerTimes: [],
            storedAtMs: null,
          }
        : {};
      // A restarted server may have a transcriber now.
      return { ...view, ...fresh, hasTranscriber: true, sessionId: frame.sessionId };
    }
    case "backpressure": {
      const isDegraded = frame.state === "degraded";
      const standing = { ...view.standing, level: frame.level, isDegraded };
      return { ...view, standing, depth: frame.depth, degraded: isDegraded ? view.degraded : null };
    }
    case "degraded":
      return { ...view, degraded: frame.reason, standing: { ...view.standing, isDegraded: true } };
    case "context_request": {
      const { requestId, question } = frame;
      if (view.requests.some((one) => one.requestId === requestId)) return view;
      return { ...view, requests: [...view.requests, { requestId, question: question ?? "" }] };
    }
    case "purge_warning":
      return { ...view, purges: frame.blobs };
    case "event":
      return foldEvent(view, frame.event);
    default:
      return view;
  }
}

type Event = Extract<LiveServerFrame, { type: "event" }>["event"];

function foldEvent(view: SessionView, event: Event): SessionView {
  const requests = new Map(view.requests.map((one) => [one.requestId, { ...one, answer: null }]));
  foldRequests<ContextRequest & PendingQuestion>(requests, event, PANEL);
  const next = { ...view, requests: openIn(view.requests, requests) };
  const evidence = evidenceOf(event);
  if (evidence !== null) return withEvidence(next, event, evidence);
  const { noteId, operation } = recordOf(event.data);
  const isCarried = event.type === "note_written" && operation === "carry" && typeof noteId === "string";
  if (!isCarried || view.carried.includes(noteId)) return next;
  return { ...next, carried: [...view.carried, noteId] };
}

const PANEL: Pick<LiveReader<Event, never, ContextRequest & PendingQuestion>, "toRequest"> = {
  toRequest: ({ requestId, question }) => ({ requestId, question, answer: null }),
};

/** The questions that still need an answer; the same list if none was added or removed. */
function openIn(
  before: readonly ContextRequest[],
  requests: ReadonlyMap<string, ContextRequest & PendingQuestion>,
): readonly ContextRequest[] {
  const open = [...requests.values()].filter(({ answer }) => answer === null);
  const isSame =
    open.length === before.length && before.every(({ requestId }, at) => requestId === open[at]?.requestId);
  return isSame ? before : open.map(({ requestId, question }) => ({ requestId, question }));
}

function withEvidence(
  view: SessionView,
  { id, sequence, recordedAt }: Event,
  { type, startMs, endMs, lang, text, thumbnail, videoId, speaker }: ReadableEvidence,
): SessionView {
  const shown = {
    id,
    type,
    sequence,
    mediaTimeMs: startMs,
    endMs,
    lang: lang ?? "",
    text,
    thumbnail,
    videoId,
  };
  const recordedAtMs = Date.parse(recordedAt);
  const isFilm = speaker === "film";
  const isViewer = type === "transcript_added" && speaker === "viewer";
  return {
    ...view,
    storedAtMs: Math.max(view.storedAtMs ?? 0, recordedAtMs),
    filmTimes: isFilm ? counted(view.filmTimes, recordedAtMs) : view.filmTimes,
    viewerTimes: isViewer ? counted(view.viewerTimes, recordedAtMs) : view.viewerTimes,
    evidence: [...view.evidence, shown].slice(-LIMITS.shownEvidence),
    remarks: view.remarks.filter((remark) => remark.id !== id),
  };
}
