/**
 * The fold of a continuous session's log is the whole state of the session. It takes each event once, in order.
 * `foldLive` folds what every reader of the log needs; this file adds what only the owner of the session knows.
 */

import type { StoredEvent } from "@continuo/core/model";
import {
  foldLive,
  isInput,
  isSignal,
  type LiveChange,
  type LiveReader,
  type LiveView,
  newLiveView,
  type PendingQuestion,
} from "@continuo/core/wire";
import {
  type Damage,
  damageIn,
  damagesIn,
  type Fields,
  isFields,
  type Lanes,
  LIMITS,
  type LiveBudget,
  type LiveCost,
  type LiveHealth,
  type Span,
} from "../kit/index.ts";
import { forgetArchived, type NoteEntry, toNoteEntry } from "./note-entries.ts";
import { addPage, addPageChange, addPass, NO_PAGE, type PageMark } from "./page-mark.ts";
import { addPending, type EvidenceQueue, removePending } from "./pending-evidence.ts";

export const AUDIO_KIND = "audio";

/** A chunk of audio that has no transcript yet. */
export interface PendingAudio extends Span {
  readonly sequence: number;
  readonly audioId: string;
  readonly hash: string;
  readonly mediaType: "audio/webm" | "audio/wav";
  readonly lang?: string;
  readonly speaker?: string;
  readonly videoId?: string;
}

export interface OpenRequest extends PendingQuestion {
  readonly draftId: string;
  /** The sequence of the `context_requested`, which contains the draft. */
  readonly sequence: number;
  readonly expiresAtMs: number;
}

/** A batch that a stand-in wrote in place of the session's note writer. */
export interface OwedBatch {
  /** The sequence of its decision, which names the evidence. */
  readonly sequence: number;
  readonly lane: string;
}

export interface LiveFold extends EvidenceQueue, LiveView<NoteEntry, OpenRequest> {
  /** The sequence of the newest event in the fold. */
  sequence: number;
  chainHash: string;
  key: string;
  videoId: string;
  title: string | null;
  parentId: string | null;
  /** `due`: the notes of the parent must be taken over. */
  carry: "none" | "due" | "done";
  lanes: Lanes;
  noteWriter: string | null;
  createdAtMs: number;
  lastInput: number;
  lastInputAtMs: number;
  /** Evidence by sequence, the oldest first. */
  readonly audio: Map<number, PendingAudio>;
  page: PageMark;
  /** The memory of the note writer. */
  memory: unknown;
  /** Why the extractive writer stands in for the note writer, with a memory of its own; `null` if it does not. */
  standIn: { readonly reason: string; readonly memory: unknown } | null;
  /**
   * The newest batches that a stand-in wrote, oldest first: the note writer gets their evidence when it works again.
   */
  owed: readonly OwedBatch[];
  cost: LiveCost;
  /** The budget that the client gave the session. */
  ownBudget: LiveBudget | null;
  health: Omit<LiveHealth, "damaged" | "standIn">;
  /** The damage that the newest record of a degraded state names; empty when the session is not degraded. */
  damaged: readonly Damage[];
  /** The damage that repairs put aside. */
  quarantined: readonly Damage[];
  eventsSinceCheckpoint: number;
  notesSinceCheckpoint: number;
  /** The number of batches that were decided. */
  segments: number;
  closedAtMs: number | null;
}

const NO_COST: LiveCost = { modelCalls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };

const HEALTHY: LiveFold["health"] = {
  lastError: null,
  lastCheckpointError: null,
  degradedReason: null,
  degradedAt: null,
};

export function emptyFold(chainHash: string): LiveFold {
  return {
    ...newLiveView(),
    sequence: 0,
    chainHash,
    key: "",
    videoId: "",
    title: null,
    parentId: null,
    carry: "none",
    lanes: "one",
    noteWriter: null,
    createdAtMs: 0,
    lastInput: 0,
    lastInputAtMs: 0,
    pending: new Map(),
    pendingRest: null,
    audio: new Map(),
    page: NO_PAGE,
    memory: null,
    standIn: null,
    owed: [],
    cost: NO_COST,
    ownBudget: null,
    health: HEALTHY,
    damaged: [],
    quarantined: [],
    eventsSinceCheckpoint: 0,
    notesSinceCheckpoint: 0,
    segments: 0,
    closedAtMs: null,
  };
}

const SPOKEN: ReadonlySet<string> = new Set(["transcript_added", "remark_added"]);

export function depthOf({ pending, pendingRest }: EvidenceQueue): number {
  let depth = pendingRest?.count ?? 0;
  // The agent's own note events are never pending, so everything except signals counts.
  for (const { type } of pending.values()) if (!isSignal(type)) depth++;
  return depth;
}

/** The newest sequence up to which every event is processed. */
export function ledgerCursor({ pending, pendingRest, sequence }: LiveFold): number {
  for (const oldest of pending.keys()) return oldest - 1;
  return pendingRest === null ? sequence : pendingRest.fromSequence - 1;
}

/** Adds an event to the pending evidence, if it belongs there. */
export function addToPending(fold: EvidenceQueue, event: StoredEvent): void {
  const data: Fields = isFields(event.data) ? event.data : {};
  const { sequence, type, retention } = event;
  if (isInput(event)) {
    const activity = typeof data.activity === "string" ? { activity: data.activity } : {};
    const asked = data.asked === true ? { isAsked: true as const } : {};
    addPending(fold, {
      sequence,
      type,
      retention,
      atMs: Date.parse(event.occurredAt),
      ...activity,
      ...asked,
    });
  }
  if (type === "decision_made" || type === "evidence_dropped") removePending(fold, data.sequences);
}

export function addEvent(fold: LiveFold, event: StoredEvent): void {
  const data: Fields = isFields(event.data) ? event.data : {};
  // The time is that of the server that wrote the event.
  const atMs = Date.parse(event.occurredAt);
  fold.sequence = event.sequence;
  fold.chainHash = event.chainHash;
  addToPending(fold, event);
  if (isInput(event)) {
    fold.lastInput = event.sequence;
    fold.lastInputAtMs = atMs;
  }
  if (SPOKEN.has(event.type)) fold.page = { ...fold.page, saidAt: event.sequence };
  const change = foldLive(fold, event, OWNER);
  if (change !== null) addChange(fold, change, { data, event, atMs });
  OTHERS[event.type]?.(fold, data, { event, atMs });
  if (event.type === "note_written") fold.notesSinceCheckpoint++;
  if (event.type !== "checkpoint_written") fold.eventsSinceCheckpoint++;
}

const OWNER: LiveReader<StoredEvent, NoteEntry, OpenRequest> = {
  toNote: toNoteEntry,
  toRequest: ({ requestId, draftId, sequence, expiresAtMs }) => {
    return { requestId, draftId, sequence, expiresAtMs, answer: null };
  },
};

interface Moment {
  readonly event: StoredEvent;
  readonly atMs: number;
}

type FoldOne = (fold: LiveFold, data: Fields, moment: Moment) => void;

const OTHERS: Readonly<Record<string, FoldOne>> = {
  session_created: (fold, data, { atMs }) => {
    const metadata = isFields(data.metadata) ? data.metadata : {};
    const live = isFields(metadata.live) ? metadata.live : {};
    fold.key = textOf(live.key) ?? "";
    fold.videoId = textOf(live.videoId) ?? "";
    fold.parentId = textOf(live.parentId);
    fold.carry = live.continues === "video" && fold.parentId !== null ? "due" : "none";
    fold.noteWriter = textOf(live.noteWriter);
    fold.ownBudget = isFields(live.budget) ? (live.budget as LiveBudget) : null;
    fold.lanes = live.lanes === "split" ? "split" : "one";
    fold.title = textOf(data.title);
    const createdAtMs = Date.parse(textOf(live.createdAt) ?? "");
    fold.createdAtMs = Number.isNaN(createdAtMs) ? atMs : createdAtMs;
    fold.stateSinceMs = fold.createdAtMs;
    fold.lastInputAtMs = fold.createdAtMs;
  },
  note_writer_chosen: (fold, data) => {
    fold.noteWriter = textOf(data.noteWriter);
    // No writer can read the memory of another one.
    fold.memory = null;
    fold.standIn = null;
  },
  notes_carried: (fold) => {
    fold.carry = "done";
  },
  event_quarantined: (fold, data) => {
    const damage = damageIn(data);
    if (damage !== null) fold.quarantined = [...fold.quarantined, damage];
  },
  decision_made: (fold, data, { event }) => {
    for (const sequence of Array.isArray(data.audio) ? data.audio : []) fold.audio.delete(sequence as number);
    if (typeof data.batchId === "string" && data.isEnd !== true) fold.segments++;
    const reason = textOf(data.standsInFor);
    // A decision that no writer made, such as the decision on a question without an answer, does not change `standIn`.
    if (reason !== null) fold.standIn = { reason, memory: data.memory ?? fold.standIn?.memory ?? null };
    fold.owed = owedAfter(fold.owed, data, event.sequence);
    // While older batches are owed, `standIn` stays, because the memory of the stand-in may contain a thought that has
    // not ended.
    const isWritten = data.redoes === undefined || fold.owed.length === 0;
    if (reason === null && typeof data.writer === "string" && isWritten) fold.standIn = null;
    if (data.memory !== undefined && reason === null) fold.memory = data.memory;
    if (isFields(data.cost)) fold.cost = addCost(fold.cost, data.cost);
    fold.page = addPass(fold.page, data);
  },
  page_written: (fold, data, { event }) => {
    fold.page = addPage(fold.page, data, event.sequence);
  },
  page_changed: (fold, data, { event }) => {
    fold.page = addPageChange(fold.page, data, event.sequence);
  },
  telemetry_reported: (fold, { name, value }, { event }) => {
    // Clients send telemetry too, but only the agent's own is counted as cost.
    if (name === "ask" && event.actor.kind === "agent" && isFields(value))
      fold.cost = addCost(fold.cost, value);
  },
  evidence_added: (fold, data, { event, atMs }) => {
    const audio = audioIn(event, data);
    if (audio === null) return;
    fold.audio.set(event.sequence, audio);
    fold.lastInput = event.sequence;
    fold.lastInputAtMs = atMs;
  },
  error_raised: (fold, data) => {
    fold.health = { ...fold.health, lastError: textOf(data.message) };
  },
};

function owedAfter(
  owed: LiveFold["owed"],
  { standsInFor, sequences, lane, redoes }: Fields,
  sequence: number,
): LiveFold["owed"] {
  if (Array.isArray(redoes)) return owed.filter((one) => !redoes.includes(one.sequence));
  if (textOf(standsInFor) === null || !Array.isArray(sequences) || sequences.length === 0) return owed;
  return [...owed, { sequence, lane: textOf(lane) ?? "all" }].slice(-LIMITS.owedBatches);
}

/** Adds to a change what only the owner of the session keeps. */
function addChange(
  fold: LiveFold,
  change: LiveChange<NoteEntry>,
  { data, event, atMs }: Moment & { readonly data: Fields },
): void {
  if (change.type === "note") forgetArchived(fold.notes);
  if (change.type === "state") addStateChange(fold, change.entered, { data, event, atMs });
  if (change.type !== "checkpoint") return;
  // Input that arrived between the snapshot and its event is not in the snapshot, so it counts.
  fold.eventsSinceCheckpoint = event.sequence - 1 - change.cursor;
  fold.notesSinceCheckpoint = 0;
  fold.health = { ...fold.health, lastCheckpointError: null };
}

function addStateChange(
  fold: LiveFold,
  entered: LiveFold["state"] | null,
  { data, event, atMs }: Moment & { readonly data: Fields },
): void {
  if (entered === "degraded") {
    const degradedReason = textOf(data.reason) ?? "unknown";
    fold.damaged = damagesIn(data.damaged);
    fold.health = { ...fold.health, degradedReason, degradedAt: event.occurredAt };
  } else if (entered === "active") {
    fold.damaged = [];
    fold.health = { ...fold.health, degradedReason: null, degradedAt: null };
  } else if (entered === null && data.state === "degraded") {
    fold.damaged = damagesOr(data.damaged, fold.damaged);
  }
  if (entered === "closed" || entered === "abandoned") fold.closedAtMs = atMs;
}

function damagesOr(value: unknown, otherwise: readonly Damage[]): readonly Damage[] {
  return Array.isArray(value) ? damagesIn(value) : otherwise;
}

function audioIn({ sequence, id }: StoredEvent, data: Fields): PendingAudio | null {
  const { kind, content, mediaTimeMs, endMs, lang, speaker, videoId } = data;
  if (kind !== AUDIO_KIND || !isFields(content) || typeof content.hash !== "string") return null;
  return {
    sequence,
    audioId: id,
    hash: content.hash,
    mediaType: content.mediaType === "audio/wav" ? "audio/wav" : "audio/webm",
    startMs: Number(mediaTimeMs ?? 0),
    endMs: Number(endMs ?? mediaTimeMs ?? 0),
    ...(typeof lang === "string" ? { lang } : {}),
    ...(typeof speaker === "string" ? { speaker } : {}),
    ...(typeof videoId === "string" ? { videoId } : {}),
  };
}

function addCost(cost: LiveCost, added: Fields): LiveCost {
  const number = (name: keyof LiveCost): number => {
    const value = added[name];
    return cost[name] + (typeof value === "number" && Number.isFinite(value) ? value : 0);
  };
  return {
    modelCalls: number("modelCalls"),
    inputTokens: number("inputTokens"),
    outputTokens: number("outputTokens"),
    costUsd: number("costUsd"),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
