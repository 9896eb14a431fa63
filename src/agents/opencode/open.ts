/** Opens a session: one scan folds the index and the facts; histories then read messages by their ids. */

import {
  ContinuoError,
  type Entry,
  type Leaf,
  type Message,
  type Problem,
  type SessionDetails,
  type SessionInfo,
  type SubagentInfo,
} from "../../model/index.ts";
import {
  type FoundSession,
  type HistoryOptions,
  type Json,
  type OpenedSession,
  type OpenOptions,
  type Places,
  textField,
  toTitle,
} from "../reader/index.ts";
import type { Facts } from "./facts-fold.ts";
import {
  addCounts,
  type Counts,
  countMessages,
  countUpTo,
  type End,
  endsOf,
  partsBefore,
} from "./index-fold.ts";
import { toMessages } from "./messages.ts";
import { openSource } from "./read-source.ts";
import { type NativeRecord, timeOfMs, typedText } from "./records.ts";
import { type Beside, emptyProblem, ownTitle, toRow } from "./row.ts";
import { type Scan, type ScanOptions, scanSession, type Whole } from "./scan.ts";
import { readAll, readOr, type SessionSource } from "./source.ts";

/** Errors: `not_found`, `unreadable`. */
export async function openSession(
  found: FoundSession,
  _places: Places,
  options: OpenOptions,
): Promise<OpenedSession> {
  const source = await openSource(found);
  try {
    const opening = source.atOnce(() => readSession(source, found, options));
    return toOpened(opening);
  } catch (error) {
    source.close();
    throw error;
  }
}

interface Opening {
  readonly found: FoundSession;
  readonly source: SessionSource;
  readonly record: NativeRecord | null;
  readonly session: Json;
  readonly scan: Scan;
  readonly beside: Beside;
  readonly subagents: readonly SubagentInfo[];
  /** The active one first. */
  readonly ends: readonly End[];
}

function readSession(source: SessionSource, found: FoundSession, options: OpenOptions): Opening {
  const damage: Problem[] = [];
  const onDamage = (message: string): void => void damage.push({ code: "unreadable", line: null, message });
  const record = readOr(() => source.session(), null, onDamage);
  const scanOptions: ScanOptions = { sessionId: found.sessionId, ...options };
  const scan = scanSession(source, scanOptions);
  const { facts } = scan;
  for (const problem of damage) facts.problems.add(problem);
  if (record === null && damage.length === 0) {
    const message = "the session's own record is missing";
    facts.problems.add({ code: "missing_header", line: null, message });
  }
  if (scan.index.count === 0) facts.problems.add(emptyProblem());
  const session = record?.data ?? {};
  const reader = { code: "unreadable", line: null } as const;
  const note = (message: string): void => facts.problems.add({ ...reader, message });
  const beside = {
    typed: ownTitle(session) === null ? scan.typed : null,
    gitBranch: readOr(() => source.gitBranch(), null, note),
    sizeBytes: readOr(() => source.sizeBytes(), 0, note),
  };
  const subagents = readOr(() => readSubagents(source, facts), [], note);
  return { found, source, record, session, scan, beside, subagents, ends: endsOf(scan.index, session) };
}

function readSubagents(source: SessionSource, facts: Facts): SubagentInfo[] {
  return source.children().map((child) => ({
    id: child.id,
    location: child.location,
    type: child.agent,
    description: toTitle(child.title),
    toolCallId: facts.callOfChild.get(child.id) ?? null,
    model: child.model,
    sizeBytes: child.sizeBytes,
  }));
}

function toOpened(opening: Opening): OpenedSession {
  const { found, source, session, scan, ends } = opening;
  const leaves = scan.index.count === 0 ? [] : ends.map((end, at) => toLeaf(opening, end, at === 0));
  const row = toRow(found, session, opening.beside, scan.facts.problems.all());
  return {
    details: { ...row, ...detailsOf(opening, leaves.length) },
    leaves,
    problems: row.problems,
    partial: scan.partial,
    entries: (signal) => entriesOf(opening, signal),
    history: (options = {}) => historyOf(opening, options),
    close: () => source.close(),
    [Symbol.dispose]: () => source.close(),
  };
}

function detailsOf(opening: Opening, branches: number): Omit<SessionDetails, keyof SessionInfo> {
  const { session, scan, ends, record, subagents } = opening;
  const { toolCalls, ...messages } = countTo(opening, ends[0] ?? { messages: 0, part: null });
  const version = textField(session, "version");
  return {
    messages,
    toolCalls,
    branches,
    records: scan.facts.records + (record === null ? 0 : 1),
    unknownRecords: Object.fromEntries(scan.facts.unknownRecords),
    models: [...scan.facts.models],
    usage: scan.facts.usage,
    agentVersions: version === null ? [] : [version],
    subagents,
    // A fork is a copy that does not tell what it was copied from.
    forkedFrom: null,
  };
}

function toLeaf(opening: Opening, end: End, active: boolean): Leaf {
  const { index } = opening.scan;
  const cut = cutOf(opening, end);
  const last = end.messages - 1;
  let typed = last;
  while (typed >= 0 && index.typed[typed] !== 1) typed -= 1;
  const whole = typed < 0 ? null : readWhole(opening, typed);
  const cutTyped = cut === null ? null : typedText(cut.record, cut.parts);
  return {
    id: idOfEnd(opening, end),
    active,
    updatedAt: timeOfMs(cut?.record.timeMs ?? index.time[last]),
    messages: countTo(opening, end).total,
    label: toTitle(cutTyped ?? (whole === null ? null : typedText(whole.record, whole.parts))),
  };
}

/** That of the last part where a revert cuts a message; an end before the first message has the session's own. */
function idOfEnd(opening: Opening, end: End): string {
  const last = opening.scan.index.ids[end.messages - 1];
  return cutOf(opening, end)?.parts.at(-1)?.id ?? last ?? opening.found.sessionId;
}

function countTo(opening: Opening, end: End): Counts {
  const whole = countUpTo(opening.scan.index, end.messages);
  const cut = cutOf(opening, end);
  return cut === null
    ? whole
    : addCounts(whole, countMessages(toMessages(cut.record, cut.parts, { native: false })));
}

/** What a revert leaves of the message that it cuts. */
function cutOf(opening: Opening, end: End): Whole | null {
  const whole = end.part === null ? null : readWhole(opening, end.messages);
  if (whole === null || end.part === null) return null;
  return { record: whole.record, parts: partsBefore(whole.parts, end.part) };
}

/** `null` for a message that is gone since. What was damaged in the first pass already is a problem, no error. */
function readWhole({ source, scan }: Opening, at: number): Whole | null {
  const kept = scan.kept.get(at);
  if (kept !== undefined) return kept;
  const id = scan.index.ids[at] ?? null;
  const record = id === null ? null : source.message(id);
  return record === null ? null : { record, parts: scan.damaged.has(at) ? [] : source.parts(record) };
}

async function* historyOf(opening: Opening, options: HistoryOptions): AsyncGenerator<Message, void, void> {
  const end = endOf(opening, options.leaf);
  let parentId: string | undefined;
  for (let at = 0; at <= end.messages; at++) {
    options.signal?.throwIfAborted();
    const whole = at < end.messages ? readWhole(opening, at) : cutOf(opening, end);
    if (whole === null) continue;
    for (const message of toMessages(whole.record, whole.parts, { native: options.native === true })) {
      yield parentId === undefined ? message : { ...message, parentId };
      parentId = message.id;
    }
  }
}

/** The end that a leaf's id names. Any message can be the end of a history. */
function endOf(opening: Opening, leaf: string | undefined): End {
  const { scan, ends } = opening;
  const active = ends[0] ?? { messages: 0, part: null };
  if (leaf === undefined) return active;
  const named = ends.find((end) => idOfEnd(opening, end) === leaf);
  if (named !== undefined) return named;
  const at = scan.index.ids.indexOf(leaf);
  if (at !== -1) return { messages: at + 1, part: null };
  throw new ContinuoError("not_found", `no branch of this session ends in ${leaf}`);
}

async function* entriesOf(
  opening: Opening,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, void, void> {
  const { source, scan, record, ends } = opening;
  const active = ends[0] ?? { messages: 0, part: null };
  if (record !== null) yield toEntry(record, false);
  for (let at = 0; at < scan.index.count; at++) {
    signal?.throwIfAborted();
    const whole = readWhole(opening, at);
    if (whole === null) continue;
    const isCut = at === active.messages && active.part !== null;
    const isActive = at < active.messages || isCut;
    yield toEntry(whole.record, isActive);
    const left = new Set(isCut && active.part !== null ? partsBefore(whole.parts, active.part) : whole.parts);
    for (const part of whole.parts) yield toEntry(part, isActive && left.has(part));
  }
  if (scan.partial) return;
  const isKnown = scan.areStraysDamaged;
  for (const stray of isKnown
    ? readAll(
        () => source.strays(),
        () => undefined,
      )
    : source.strays()) {
    yield toEntry(stray, false);
  }
}

function toEntry(record: NativeRecord, active: boolean): Entry {
  const type =
    record.kind === "part" ? textField(record.data ?? {}, "type") : textField(record.data ?? {}, "role");
  return {
    line: null,
    ...(record.id === null ? {} : { row: record.id }),
    id: record.id,
    parentId: record.parentId,
    type: record.kind === "session" ? record.kind : (type ?? record.kind),
    active,
    value: record.value,
  };
}
