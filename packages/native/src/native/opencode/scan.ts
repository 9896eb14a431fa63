/** The scan of a session: messages with their parts are folded once; histories then read them by their ids. */

import type { Entry, Message, Problem } from "@continuo/core/model";
import { type Json, textField } from "@continuo/files";
import {
  addProblem,
  allProblems,
  createIdTable,
  type FoundSession,
  findId,
  type HistoryOptions,
  type IdTable,
  internId,
  toTitle,
} from "../kit/index.ts";
import type { MessageCounts, Scan, ScanFacts, Tip } from "../scanning/index.ts";
import { createFacts, type Facts, foldMessageFacts, foldPartFacts, foldStray } from "./facts-fold.ts";
import {
  addCounts,
  countMessages,
  countUpTo,
  createIndex,
  type End,
  endsOf,
  foldIndex,
  type Index,
  partsBefore,
} from "./index-fold.ts";
import { type MendedData, mendInfo, mendPart, resumeFlawOf } from "./mend-data.ts";
import { toMessages } from "./messages.ts";
import {
  type MessageWithParts,
  openStream,
  type RecordStream,
  type StreamRecord,
  type Surroundings,
} from "./record-stream.ts";
import { type NativeRecord, timeOfMs, typedText } from "./records.ts";
import { emptyProblem, ownTitle, toRow } from "./row.ts";
import { readAll } from "./source.ts";

interface ScanState {
  readonly sessionId: string;
  readonly index: Index;
  readonly facts: Facts;
  /** The places in the index of messages whose parts are damaged in the database. */
  readonly damaged: Set<number>;
  areStraysDamaged: boolean;
  /** The first text that the person typed. */
  typed: string | null;
  readonly ids: IdTable;
  /** Answers whose prompt does not come before them. */
  readonly answers: { readonly id: string | null; readonly parentId: string }[];
}

export const opencodeScan: Scan<ScanState, StreamRecord, RecordStream, End> = {
  version: "opencode-3",
  open: openStream,
  create: ({ found }) => ({
    sessionId: found.sessionId,
    index: createIndex(),
    facts: createFacts(),
    damaged: new Set(),
    areStraysDamaged: false,
    typed: null,
    ids: createIdTable(),
    answers: [],
  }),
  fold(state, record) {
    if (record.type === "message") foldMessage(state, record);
    else if (record.type === "stray") foldStray(state.facts, record.record);
    else {
      addProblem(state.facts.problems, record.problem);
      if (record.of === "strays") state.areStraysDamaged = true;
    }
  },
  // Returns no message if the window would contain all of them.
  isEnough: ({ index }) => index.count > 0,
  async finish(state, { found, source: stream, partial }) {
    const around = stream.surroundings();
    const session = around.record?.data ?? {};
    const ends = endsOf(state.index, session);
    const read: OpencodeScan = { ...state, found, stream, around, session, ends, partial };
    const problems = allProblems(
      state.facts.problems,
      partial ? [] : lostAnswers(state),
      around.problems,
      state.index.count === 0 ? [emptyProblem()] : [],
    );
    return {
      facts: toFacts(read, problems),
      tips: state.index.count === 0 ? [] : ends.map((end, at) => toTip(read, end, at === 0)),
      nodeOf: (id) => nodeOf(read, id),
      history: (end, options) => readHistory(read, end, options),
      entries: (signal) => entriesOf(read, signal),
    };
  },
};

type ReadMessage = Extract<StreamRecord, { type: "message" }>;

function foldMessage(state: ScanState, { record, parts, damage }: ReadMessage): void {
  const { index, facts, ids, sessionId } = state;
  if (damage !== null) {
    state.damaged.add(index.count);
    addProblem(facts.problems, damage);
  }
  foldMessageFacts(facts, record, sessionId);
  for (const part of parts) foldPartFacts(facts, part, sessionId);
  foldResumeFlaws(facts, record, parts);
  const typed = typedText(record, parts);
  foldIndex(index, record, toMessages(record, parts, { native: false }), typed);
  state.typed ??= typed;
  if (record.id !== null) internId(ids, record.id);
  // The answered message comes before it, except after damage.
  if (record.parentId !== null && findId(ids, record.parentId) === -1) {
    state.answers.push({ id: record.id, parentId: record.parentId });
  }
}

/** opencode ends every turn of a session with an error where the data of one row is no JSON. */
function foldResumeFlaws(facts: Facts, message: NativeRecord, parts: readonly NativeRecord[]): void {
  // opencode's first generation needs other fields than its second.
  if (message.kind === "session_message") return;
  const types = parts.map(({ data }) => data?.type);
  const before = { directory: "", promptId: "", model: null };
  const tell = (record: NativeRecord, mend: (data: Json) => MendedData): void => {
    const isUnread = record.damage?.code === "bad_json";
    const flaw = record.data === null ? isUnread && "its data is no JSON" : resumeFlawOf(mend(record.data));
    if (flaw === null || flaw === false) return;
    const told = `opencode cannot resume the session, or leaves ${record.kind} ${record.id?.slice(0, 80)} out: ${flaw}`;
    addProblem(facts.problems, { code: "cannot_resume", line: null, message: told });
  };
  tell(message, (data) => mendInfo(data, message.value, { types, before }));
  for (const part of parts) tell(part, (data) => mendPart(data, part.value));
}

function* lostAnswers({ ids, answers }: ScanState): Generator<Problem, void, void> {
  for (const { id, parentId } of answers) {
    if (findId(ids, parentId) !== -1) continue;
    const message = `message ${id?.slice(0, 80)} answers ${parentId.slice(0, 80)}, which is not here`;
    yield { code: "dangling_parent", line: null, message };
  }
}

interface OpencodeScan extends ScanState {
  readonly found: FoundSession;
  readonly stream: RecordStream;
  readonly around: Surroundings;
  readonly session: Json;
  /** The active one comes first. */
  readonly ends: readonly End[];
  readonly partial: boolean;
}

function toFacts(read: OpencodeScan, problems: readonly Problem[]): ScanFacts {
  const { found, session, around, facts } = read;
  const { gitBranch, sizeBytes, children, record } = around;
  const typed = ownTitle(session) === null ? read.typed : null;
  const version = textField(session, "version");
  return {
    ...toRow(found, session, { typed, gitBranch, sizeBytes }, problems),
    records: facts.records + (record === null ? 0 : 1),
    unknownRecords: Object.fromEntries(facts.unknownRecords),
    models: [...facts.models],
    usage: facts.usage,
    agentVersions: version === null ? [] : [version],
    subagents: children.map((child) => ({
      id: child.id,
      location: child.location,
      type: child.agent,
      description: toTitle(child.title),
      toolCallId: facts.callOfChild.get(child.id) ?? null,
      model: child.model,
      sizeBytes: child.sizeBytes,
    })),
    // A fork is a copy that does not tell what it was copied from.
    forkedFrom: null,
  };
}

function toTip(read: OpencodeScan, end: End, active: boolean): Tip<End> {
  const { index } = read;
  const cut = cutOf(read, end);
  const last = end.messages - 1;
  let typed = last;
  while (typed >= 0 && index.typed[typed] !== 1) typed -= 1;
  const whole = typed < 0 ? null : readWhole(read, typed);
  const cutTyped = cut === null ? null : typedText(cut.record, cut.parts);
  return {
    node: end,
    id: idOfEnd(read, end),
    active,
    updatedAt: timeOfMs(cut?.record.timeMs ?? index.time[last]),
    counts: countTo(read, end),
    label: toTitle(cutTyped ?? (whole === null ? null : typedText(whole.record, whole.parts))),
  };
}

/**
 * If a revert cuts a message, this is the id of the last part; an end before the first message has the session's own
 * id.
 */
function idOfEnd(read: OpencodeScan, end: End): string {
  return cutOf(read, end)?.parts.at(-1)?.id ?? read.index.ids[end.messages - 1] ?? read.found.sessionId;
}

function countTo(read: OpencodeScan, end: End): MessageCounts {
  const whole = countUpTo(read.index, end.messages);
  const cut = cutOf(read, end);
  return cut === null
    ? whole
    : addCounts(whole, countMessages(toMessages(cut.record, cut.parts, { native: false })));
}

/** Returns the rest of the message that a revert cuts. */
function cutOf(read: OpencodeScan, end: End): MessageWithParts | null {
  const whole = end.part === null ? null : readWhole(read, end.messages);
  if (whole === null || end.part === null) return null;
  return { record: whole.record, parts: partsBefore(whole.parts, end.part) };
}

/** Returns `null` for a message that was removed since. Damage that the first pass found already is a problem, not an error. */
function readWhole({ stream, index, damaged }: OpencodeScan, at: number): MessageWithParts | null {
  const kept = stream.kept.get(at);
  if (kept !== undefined) return kept;
  const id = index.ids[at] ?? null;
  const record = id === null ? null : stream.source.message(id);
  return record === null ? null : { record, parts: damaged.has(at) ? [] : stream.source.parts(record) };
}

/** Any message can be the end of a history. */
function nodeOf({ index }: OpencodeScan, id: string): End | null {
  const at = index.ids.indexOf(id);
  return at === -1 ? null : { messages: at + 1, part: null };
}

async function* readHistory(
  read: OpencodeScan,
  end: End,
  options: HistoryOptions,
): AsyncGenerator<Message, void, void> {
  let parentId: string | undefined;
  for (let at = 0; at <= end.messages; at++) {
    options.signal?.throwIfAborted();
    const whole = at < end.messages ? readWhole(read, at) : cutOf(read, end);
    if (whole === null) continue;
    for (const message of toMessages(whole.record, whole.parts, { native: options.native === true })) {
      yield parentId === undefined ? message : { ...message, parentId };
      parentId = message.id;
    }
  }
}

async function* entriesOf(
  read: OpencodeScan,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, void, void> {
  const { stream, index, around, ends, partial, areStraysDamaged } = read;
  const active = ends[0] ?? { messages: 0, part: null };
  if (around.record !== null) yield toEntry(around.record, false);
  for (let at = 0; at < index.count; at++) {
    signal?.throwIfAborted();
    const whole = readWhole(read, at);
    if (whole === null) continue;
    const isCut = at === active.messages && active.part !== null;
    const isActive = at < active.messages || isCut;
    yield toEntry(whole.record, isActive);
    const left = new Set(isCut && active.part !== null ? partsBefore(whole.parts, active.part) : whole.parts);
    for (const part of whole.parts) {
      if (part.kind !== "content") yield toEntry(part, isActive && left.has(part));
    }
  }
  if (partial) return;
  const strays = (): Iterable<NativeRecord> => stream.source.strays();
  for (const stray of areStraysDamaged ? readAll(strays, () => undefined) : strays())
    yield toEntry(stray, false);
}

function toEntry(record: NativeRecord, active: boolean): Entry {
  return {
    line: null,
    ...(record.id === null ? {} : { row: record.id }),
    id: record.id,
    parentId: record.parentId,
    type: typeOf(record) ?? record.kind,
    active,
    value: record.value,
  };
}

function typeOf({ kind, data, value }: NativeRecord): string | null {
  if (kind === "session") return kind;
  if (kind === "session_message") return textField(value, "type");
  return textField(data ?? {}, kind === "part" ? "type" : "role");
}
