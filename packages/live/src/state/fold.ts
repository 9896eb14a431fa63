/** The fold of a continuous session's log is the whole state of the session. It takes each event once, in order. */

import type { StoredEvent } from "@continuo/core/model";
import { NOTE_EVENT_TYPES } from "@continuo/core/wire";
import {
  type BudgetState,
  type Damage,
  damageIn,
  damagesIn,
  type Fields,
  isFields,
  type Lanes,
  type Level,
  LIMITS,
  type LiveBudget,
  type LiveCost,
  type LiveHealth,
  type LiveState,
  type Span,
} from "../kit/index.ts";
import { addNoteEvent, type NoteEntry } from "./note-entries.ts";
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

export interface OpenRequest {
  readonly requestId: string;
  readonly draftId: string;
  /** The sequence of the `context_requested`, which contains the draft. */
  readonly sequence: number;
  readonly expiresAtMs: number;
  /** The sequence of the remark that answers it, while that remark is pending. */
  readonly answer: number | null;
}

/** A batch that a stand-in wrote in place of the session's note writer. */
export interface OwedBatch {
  /** The sequence of its decision, which names the evidence. */
  readonly sequence: number;
  readonly lane: string;
}

export interface CheckpointMark {
  readonly cursor: number;
  readonly atMs: number;
}

export interface LiveFold extends EvidenceQueue {
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
  state: LiveState;
  stateSinceMs: number;
  /** The sequence of the event that set the state. */
  stateSequence: number;
  level: Level;
  restarts: number;
  lastInput: number;
  lastInputAtMs: number;
  readonly notes: Map<string, NoteEntry>;
  readonly requests: Map<string, OpenRequest>;
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
  budget: BudgetState;
  /** The budget that the client gave the session. */
  ownBudget: LiveBudget | null;
  health: Omit<LiveHealth, "damaged" | "standIn">;
  /** The damage that the newest record of a degraded state names; empty when the session is not degraded. */
  damaged: readonly Damage[];
  /** The damage that repairs put aside. */
  quarantined: readonly Damage[];
  checkpoint: CheckpointMark | null;
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
    state: "created",
    stateSinceMs: 0,
    stateSequence: 0,
    level: "normal",
    restarts: 0,
    lastInput: 0,
    lastInputAtMs: 0,
    pending: new Map(),
    pendingRest: null,
    notes: new Map(),
    requests: new Map(),
    audio: new Map(),
    page: NO_PAGE,
    memory: null,
    standIn: null,
    owed: [],
    cost: NO_COST,
    budget: "normal",
    ownBudget: null,
    health: HEALTHY,
    damaged: [],
    quarantined: [],
    checkpoint: null,
    eventsSinceCheckpoint: 0,
    notesSinceCheckpoint: 0,
    segments: 0,
    closedAtMs: null,
  };
}

/** The types of events that count for the depth; note events of people count too. */
const COUNTED: ReadonlySet<string> = new Set(["transcript_added", "remark_added", "frame_captured"]);
const SIGNALS: ReadonlySet<string> = new Set(["voice_activity", "playback_changed"]);
const SPOKEN: ReadonlySet<string> = new Set(["transcript_added", "remark_added"]);
const NOTE_TYPES: ReadonlySet<string> = new Set(NOTE_EVENT_TYPES);

export function isCounted(event: Pick<StoredEvent, "type" | "actor">): boolean {
  return COUNTED.has(event.type) || (NOTE_TYPES.has(event.type) && event.actor.kind === "person");
}

/**
 * True if the event is evidence, or an action of a person on a note. Such an event makes a session active, and the note
 * writer receives it.
 */
export function isInput(event: Pick<StoredEvent, "type" | "actor">): boolean {
  return isCounted(event) || isSignal(event.type);
}

/** A signal says how to read other evidence: no note is written about the signal itself. */
export function isSignal(type: string): boolean {
  return SIGNALS.has(type);
}

export function depthOf({ pending, pendingRest }: EvidenceQueue): number {
  let depth = pendingRest?.count ?? 0;
  // Only note events of people are pending.
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
  if (isInput(event)) addInput(fold, event, { data, atMs });
  if (SPOKEN.has(event.type)) fold.page = { ...fold.page, saidAt: event.sequence };
  if (NOTE_TYPES.has(event.type)) {
    addNoteEvent(fold.notes, event);
    if (event.type === "note_written") fold.notesSinceCheckpoint++;
  }
  OTHERS[event.type]?.(fold, data, { event, atMs });
  if (event.type !== "checkpoint_written") fold.eventsSinceCheckpoint++;
}

function addInput(
  fold: LiveFold,
  event: StoredEvent,
  { data, atMs }: { readonly data: Fields; readonly atMs: number },
): void {
  const { sequence } = event;
  fold.lastInput = sequence;
  fold.lastInputAtMs = atMs;
  const request = typeof data.requestId === "string" ? fold.requests.get(data.requestId) : undefined;
  if (request !== undefined) fold.requests.set(request.requestId, { ...request, answer: sequence });
}

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
  session_state_changed: (fold, data, { event, atMs }) => {
    // If `state` and `from` are equal, the event does not change the state and only says which state its writer saw; a
    // change that was stored in the meantime stays.
    if (isState(data.state) && data.state !== data.from && data.state !== fold.state)
      changeState(fold, data.state, { data, event, atMs });
    else if (data.state === "degraded") fold.damaged = damagesOr(data.damaged, fold.damaged);
    if (isLevel(data.level)) fold.level = data.level;
    if (isBudgetState(data.budget)) fold.budget = data.budget;
    if (data.restart === true) fold.restarts++;
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
    removeRequests(fold, data);
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
  context_requested: (fold, data, { event }) => {
    const requestId = textOf(data.requestId);
    if (requestId === null) return;
    fold.requests.set(requestId, {
      requestId,
      draftId: textOf(data.draftId) ?? "",
      sequence: event.sequence,
      expiresAtMs: Date.parse(textOf(data.expiresAt) ?? event.occurredAt),
      answer: null,
    });
  },
  checkpoint_written: (fold, data, { event, atMs }) => {
    const cursor = typeof data.cursor === "number" ? data.cursor : event.sequence - 1;
    // Input that arrived between the snapshot and its event is not in the snapshot, so it counts.
    fold.eventsSinceCheckpoint = event.sequence - 1 - cursor;
    fold.notesSinceCheckpoint = 0;
    fold.checkpoint = { cursor, atMs };
    fold.health = { ...fold.health, lastCheckpointError: null };
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

function changeState(
  fold: LiveFold,
  state: LiveState,
  { data, event, atMs }: Moment & { readonly data: Fields },
): void {
  fold.state = state;
  fold.stateSinceMs = atMs;
  fold.stateSequence = event.sequence;
  if (state === "degraded") {
    const degradedReason = textOf(data.reason) ?? "unknown";
    fold.damaged = damagesIn(data.damaged);
    fold.health = { ...fold.health, degradedReason, degradedAt: event.occurredAt };
  } else if (state === "active") {
    fold.damaged = [];
    fold.health = { ...fold.health, degradedReason: null, degradedAt: null };
  }
  if (state === "closed" || state === "abandoned") fold.closedAtMs = atMs;
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

/** Removes the requests that a decision ends: it decides on their answer, or names them. */
function removeRequests({ requests }: LiveFold, { sequences, requests: named }: Fields): void {
  const decided = new Set<unknown>([sequences, named].flatMap((list) => (Array.isArray(list) ? list : [])));
  for (const { requestId, answer } of requests.values()) {
    if (decided.has(requestId) || (answer !== null && decided.has(answer))) requests.delete(requestId);
  }
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

const STATES: readonly unknown[] = ["created", "active", "idle", "degraded", "closed", "abandoned"];

function isState(value: unknown): value is LiveState {
  return STATES.includes(value);
}

function isLevel(value: unknown): value is Level {
  return value === "normal" || value === "warning" || value === "critical";
}

function isBudgetState(value: unknown): value is BudgetState {
  return value === "normal" || value === "warning" || value === "spent";
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
