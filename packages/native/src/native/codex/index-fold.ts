/**
 * The first pass over a rollout file: from records to drafts of messages, and to all facts that need no second pass
 * (models, usage, problems, counts). Pure; bounded by the number of records, not by their size.
 */

import { entryOf, isJson, type Json, textOfValue } from "@continuo/files";
import type { LineRecord } from "@continuo/files/records";
import {
  addProblem,
  createProblemList,
  createToolPairs,
  noteCall,
  noteResult,
  type ProblemList,
  type ToolPairs,
  toTitle,
} from "../kit/index.ts";
import { beforeTyped, type DraftKind, type MessageDraft, type Slot } from "./drafts.ts";
import { withoutUnreadFields } from "./forms.ts";
import {
  createShown,
  endShown,
  foldShown,
  hashOf,
  hasTexts,
  noteItem,
  type ShownState,
} from "./interface-messages.ts";
import { callIdOf, flawOf, hasToolList, isCall, kindOfItem } from "./items.ts";
import { createOrder, foldOrdinal, type OrderState } from "./order.ts";
import { type CodexRecord, hasLineTime, parseRecord, toText } from "./records.ts";
import { isTyped, typedText } from "./text-authors.ts";
import { createUsage, endUsageTurn, foldTokenCount, foldUsageRecord, type UsageState } from "./usage.ts";

/** All files of a lineage add to this index. */
export interface SessionIndex {
  /** Hashes of native ids (`hashOf`). */
  readonly ids: Set<number>;
  /** For each call, the events that have more facts than its output. */
  readonly details: Map<string, Slot[]>;
  readonly models: Set<string>;
  readonly versions: Set<string>;
  readonly unknown: Map<string, number>;
  /** The keys are ids of threads: the sub-agents that were started. */
  readonly children: Map<string, Child>;
  /** The ends of abandoned paths. */
  readonly left: { readonly leaf: MessageDraft; readonly updatedAt: string | null }[];
  firstTyped: string | null;
  /** True if a record has a list of tools, so that their definitions are read on request. */
  hasTools: boolean;
}

/** Seen in 0.169.0: an `item_completed` with `SubAgentActivity` of kind `started`. */
export interface Child {
  readonly toolCallId: string | null;
  /** The name of the task: `/root/NAME`. */
  readonly path: string | null;
  readonly model: string | null;
}

/** A place from which another file continues, and the message before it as soon as the fold has reached it. */
export interface ChildForkPoint {
  /** Path of the file that continues from here. */
  readonly child: string;
  readonly endOrdinal: number | null;
  readonly endOffset: number | null;
  at: MessageDraft | null;
  /** The first line that is after the cut; `null` if none is. */
  line: number | null;
  reached: boolean;
}

export interface FileIndex {
  readonly file: number;
  /** False for a file of another thread, of which only the part before its cuts counts. */
  readonly own: boolean;
  readonly session: SessionIndex;
  readonly cuts: readonly ChildForkPoint[];
  readonly order: OrderState;
  readonly shown: ShownState;
  readonly usage: UsageState;
  readonly pairs: ToolPairs;
  readonly problems: ProblemList;
  /** Lines that a rollback took out of the active history: from, to (1-based, inclusive). */
  readonly dropped: { readonly from: number; readonly to: number }[];
  head: MessageDraft | null;
  /** The response that further assistant items join. */
  open: MessageDraft | null;
  /** Results since the last response, for `turn_aborted`. */
  outputs: MessageDraft[];
  /** Calls of the turn without a result, oldest first: calls inside code mode belong to the last one. */
  pending: string[];
  model: string | null;
  turnId: string | null;
  updatedAt: string | null;
  records: number;
}

export function fold(state: FileIndex, line: LineRecord): void {
  if (isDone(state)) return;
  state.records += 1;
  for (const problem of line.problems) addProblem(state.problems, problem);
  if (line.value === undefined) return;
  const record = parseRecord(line.value);
  if (record === null) {
    addProblem(state.problems, {
      code: "bad_record",
      line: line.line,
      message: "the line is no record of a rollout",
    });
    return;
  }
  reachCuts(state, record, line);
  if (isDone(state)) return;
  if (hasToolList(record)) state.session.hasTools = true;
  if (!hasLineTime(line.value)) {
    const message = "the line has no time; Codex leaves it out";
    addProblem(state.problems, { code: "bad_record", line: line.line, message });
    return;
  }
  if (record.timestamp !== null) state.updatedAt = record.timestamp;
  foldOrdinal(state.order, record, line.line);
  if (record.type === "response_item") {
    const unread = unreadIn(line.value);
    if (unread !== null) addProblem(state.problems, { code: "bad_record", line: line.line, message: unread });
    // Codex ignores lines with bytes that are not UTF-8 (seen in 0.169.0).
    if (unread !== null || line.problems.some(({ code }) => code === "bad_utf8")) return;
  }
  state.session.firstTyped ??= toTitle(typedText(record.type, record.payload));
  const slot = { file: state.file, line: line.line, offset: line.offset, length: line.length };
  const known = entryOf(FOLDS, record.type);
  if (known) known(state, record, slot);
  else countUnknown(state, record.type);
}

/** The reason why Codex ignores the line of an item; `null` if it reads the line. */
function unreadIn(value: unknown): string | null {
  if (!isJson(value)) return null;
  const { unread } = withoutUnreadFields(value);
  return unread.length === 0 ? null : `Codex does not read ${unread.join(", ")}, and leaves out the line`;
}

/** True once nothing in the rest of the file concerns the session. */
export function isDone(state: FileIndex): boolean {
  return !state.own && state.cuts.every(({ reached }) => reached);
}

export function finish(state: FileIndex): void {
  endTurn(state);
  for (const cut of state.cuts) if (!cut.reached) reach(state, cut);
}

export interface FileStart extends Pick<FileIndex, "file" | "own" | "session" | "cuts" | "head"> {
  readonly paginated: boolean;
}

export function createSessionIndex(): SessionIndex {
  return {
    ids: new Set(),
    details: new Map(),
    models: new Set(),
    versions: new Set(),
    unknown: new Map(),
    children: new Map(),
    left: [],
    firstTyped: null,
    hasTools: false,
  };
}

export function createFileIndex({ paginated, ...start }: FileStart): FileIndex {
  return {
    ...start,
    order: createOrder(paginated),
    shown: createShown(),
    usage: createUsage(),
    pairs: createToolPairs(),
    problems: createProblemList(),
    dropped: [],
    open: null,
    outputs: [],
    pending: [],
    model: null,
    turnId: null,
    updatedAt: null,
    records: 0,
  };
}

type Fold = (state: FileIndex, record: CodexRecord, slot: Slot) => void;

const ignore: Fold = () => undefined;

/** A record of a type that is not here is counted as unknown. */
const FOLDS: Readonly<Record<string, Fold>> = {
  session_meta(state, { payload }, slot) {
    const version = toText(payload.cli_version);
    if (version !== null) state.session.versions.add(version);
    // The header of the thread that started this one comes directly after the first header.
    if (!state.own || !state.order.paginated || state.head?.slots[0]?.file !== state.file) return;
    endTurn(state);
    add(state, "header", slot, { role: "system" });
    const message = "a second header: Codex sends nothing of what stands before it";
    addProblem(state.problems, { code: "cannot_resume", line: slot.line, message });
  },
  response_item: foldItem,
  event_msg: foldEvent,
  compacted(state, _record, slot) {
    endResponse(state);
    add(state, "summary", slot, { role: "user" });
  },
  turn_context(state, { payload }) {
    const model = toText(payload.model);
    if (model === null) return;
    state.model = model;
    state.session.models.add(model);
  },
  token_usage_record(state, { payload }, slot) {
    foldUsageRecord(state.usage, payload);
    state.open?.slots.push(slot);
    endResponse(state);
  },
  world_state: ignore,
  inter_agent_communication_metadata: ignore,
};

/** Events that add nothing to the other records. */
const SILENT_EVENTS: ReadonlySet<string> = new Set([
  "thread_settings_applied",
  "thread_name_updated",
  "context_compacted",
  "exec_command_begin",
]);

function foldEvent(state: FileIndex, { payload, payloadType, timestamp }: CodexRecord, slot: Slot): void {
  if (payloadType === "task_started") {
    endTurn(state);
    state.turnId = toText(payload.turn_id);
  } else if (payloadType === "task_complete") {
    if (isJson(payload.error)) addError(state, payload.error, slot);
    endTurn(state);
  } else if (payloadType === "turn_aborted") {
    for (const draft of state.outputs) draft.interrupted = true;
    if (state.open !== null) state.open.interrupted = true;
    endTurn(state);
  } else if (payloadType === "error") addError(state, payload, slot);
  else if (payloadType === "token_count") foldTokenCount(state.usage, payload);
  else if (payloadType === "thread_rolled_back") rollBack(state, payload.num_turns, slot.line, timestamp);
  else if (payloadType.endsWith("_end") && toText(payload.call_id))
    addDetail(state, textOfValue(payload.call_id), slot);
  else if (payloadType === "item_completed" && isJson(payload.item))
    foldUiItem(state, payload, payload.item, slot);
  else if (hasTexts(payload)) addShown(state, payload, slot);
  else if (!SILENT_EVENTS.has(payloadType)) countUnknown(state, `event_msg/${payloadType}`);
}

function foldUiItem(state: FileIndex, payload: Json, item: Json, slot: Slot): void {
  if (item.type === "ContextCompaction") return;
  if (hasTexts(payload)) {
    addShown(state, payload, slot);
    return;
  }
  if (item.type === "SubAgentActivity" && !noteChild(state, item)) return;
  const id = toText(item.id);
  const inCodeMode = id?.startsWith("exec-") ? state.pending.at(-1) : undefined;
  if (inCodeMode !== undefined) addDetail(state, inCodeMode, slot);
  else if (id !== null && state.pairs.calls.has(id)) addDetail(state, id, slot);
  else if (item.type !== "WebSearch") add(state, "shown", slot, { role: "system" });
}

/** Returns true if the event is the start of a child. */
function noteChild(state: FileIndex, item: Json): boolean {
  const threadId = toText(item.agent_thread_id);
  if (item.kind !== "started" || threadId === null) return false;
  if (state.own) {
    const child = { toolCallId: toText(item.id), path: toText(item.agent_path), model: toText(item.model) };
    state.session.children.set(threadId, child);
  }
  return true;
}

function addShown(state: FileIndex, payload: Json, slot: Slot): void {
  const shown = foldShown(state.shown, payload, state.session.ids);
  if (shown === null || shown.matched) return;
  const role = shown.speaker === "user" ? "user" : "assistant";
  const draft = add(state, "shown", slot, { role, typed: role === "user" });
  state.shown.waiting.push({ draft, keys: shown.keys });
}

function foldItem(state: FileIndex, { payload }: CodexRecord, slot: Slot): void {
  const flaw = flawOf(payload);
  if (flaw !== null) {
    addProblem(state.problems, {
      code: "bad_record",
      line: slot.line,
      message: `${flaw}; Codex leaves it out`,
    });
    return;
  }
  const kind = kindOfItem(payload);
  if (kind === null) countUnknown(state, `response_item/${payload.type}`);
  const nativeId = noteId(state, payload, slot.line);
  noteItem(state.shown, payload);
  if (kind === "assistant") {
    addToResponse(state, payload, { slot, nativeId });
    return;
  }
  endResponse(state);
  if (kind === "message") {
    const role = OWN_ROLES.has(payload.role) ? "system" : "user";
    add(state, "message", slot, { role, typed: isTyped(payload), nativeId });
  } else if (kind === "output") {
    const callId = toText(payload.call_id);
    if (callId !== null) noteResult(state.pairs, callId, slot.line);
    state.pending = state.pending.filter((id) => id !== callId);
    state.outputs.push(add(state, "output", slot, { role: "tool", callId, nativeId }));
  } else add(state, "other", slot, { role: "user", nativeId });
}

/** Messages of these roles become system messages; messages of any other role become messages of the user. */
const OWN_ROLES: ReadonlySet<unknown> = new Set(["developer", "system"]);

function addToResponse(
  state: FileIndex,
  item: Json,
  { slot, nativeId }: { readonly slot: Slot; readonly nativeId: MessageDraft["nativeId"] },
): void {
  if (state.open === null) {
    state.open = add(state, "assistant", slot, { role: "assistant", nativeId });
    state.outputs = [];
  } else {
    state.open.slots.push(slot);
    if (state.open.nativeId === "none") state.open.nativeId = nativeId;
  }
  if (!isCall(item)) return;
  state.open.calls += 1;
  const callId = callIdOf(item);
  if (callId === null) return;
  noteCall(state.pairs, callId, slot.line);
  state.pending.push(callId);
}

interface DraftParts {
  readonly role: MessageDraft["role"];
  readonly typed?: boolean;
  readonly callId?: string | null;
  readonly nativeId?: MessageDraft["nativeId"];
}

function add(state: FileIndex, kind: DraftKind, slot: Slot, parts: DraftParts): MessageDraft {
  const draft: MessageDraft = {
    kind,
    parent: state.head,
    role: parts.role,
    slots: [slot],
    typed: parts.typed ?? false,
    model: parts.role === "assistant" ? state.model : null,
    turnId: state.turnId,
    callId: parts.callId ?? null,
    nativeId: parts.nativeId ?? "none",
    hidden: false,
    interrupted: false,
    calls: 0,
  };
  state.head = draft;
  return draft;
}

function addError(state: FileIndex, error: Json, slot: Slot): void {
  endResponse(state);
  if (!state.shown.errors.has(String(error.message))) add(state, "error", slot, { role: "assistant" });
  state.shown.errors.add(String(error.message));
}

function addDetail(state: FileIndex, callId: string, slot: Slot): void {
  const slots = state.session.details.get(callId);
  if (slots) slots.push(slot);
  else state.session.details.set(callId, [slot]);
}

function noteId(state: FileIndex, item: Json, line: number): MessageDraft["nativeId"] {
  const id = toText(item.id);
  if (id === null) return "none";
  const hash = hashOf(id);
  if (!state.session.ids.has(hash)) {
    state.session.ids.add(hash);
    return "own";
  }
  addProblem(state.problems, {
    code: "duplicate_id",
    line,
    message: `id ${id} was used by an earlier record`,
  });
  return "repeated";
}

/** Removes the last turns that the person began from the active history; they remain as a separate path. */
function rollBack(state: FileIndex, turns: unknown, line: number, timestamp: string | null): void {
  endTurn(state);
  if (typeof turns !== "number" || turns < 1) return;
  const leaf = state.head;
  state.head = beforeTyped(leaf, turns);
  if (leaf === null || leaf === state.head) return;
  if (state.own) state.session.left.push({ leaf, updatedAt: timestamp });
  const kept = state.head?.slots.at(-1);
  state.dropped.push({ from: kept?.file === state.file ? kept.line + 1 : 1, to: line });
}

function endResponse(state: FileIndex): void {
  // A list that grows by `push` reserves room for sixteen items, but most responses have three records.
  if (state.open !== null) state.open.slots = state.open.slots.slice();
  state.open = null;
}

function endTurn(state: FileIndex): void {
  endResponse(state);
  endUsageTurn(state.usage);
  endShown(state.shown);
  state.outputs = [];
  state.pending = [];
}

function reachCuts(state: FileIndex, record: CodexRecord, line: LineRecord): void {
  for (const cut of state.cuts) {
    if (cut.reached) continue;
    if (!isPast(cut, record, line.offset)) continue;
    cut.line = line.line;
    reach(state, cut);
  }
}

/**
 * Returns true if a record is after the place where its file was cut, by its ordinal, or by its offset if the record or
 * the cut has no ordinal.
 */
export function isPast(
  cut: Pick<ChildForkPoint, "endOrdinal" | "endOffset">,
  record: Pick<CodexRecord, "ordinal">,
  offset: number,
): boolean {
  if (record.ordinal !== null && cut.endOrdinal !== null) return record.ordinal >= cut.endOrdinal;
  return cut.endOffset !== null && offset >= cut.endOffset;
}

function reach(state: FileIndex, cut: ChildForkPoint): void {
  endResponse(state);
  cut.reached = true;
  cut.at = state.head;
}

function countUnknown(state: FileIndex, type: string): void {
  state.session.unknown.set(type, (state.session.unknown.get(type) ?? 0) + 1);
}
