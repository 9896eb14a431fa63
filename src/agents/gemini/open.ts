/**
 * Opens a session: one scan folds the index, the list, the row and the facts; histories then fetch records by
 * place. Files of the same session that Gemini CLI does not read are entries alone.
 */

import { basename } from "node:path";
import { ContinuoError, type Entry, type Message, type Problem } from "../../model/index.ts";
import {
  type FoundFile,
  type FoundSession,
  type HistoryOptions,
  isJson,
  type OpenedSession,
  type OpenOptions,
  type Places,
} from "../reader/index.ts";
import { readDeletions, recordsWithSeparators, separatorProblems } from "./expiry.ts";
import { createFacts, type Facts, foldFacts, wholeProblems } from "./facts-fold.ts";
import { type HistorySource, readHistory } from "./history.ts";
import { addRecord, createIndex, FLAG, has, type Index, marksOf, placeOf } from "./index-fold.ts";
import { type Branch, toBranches, toLeaves } from "./leaves.ts";
import { pairProblemsOf } from "./pairing.ts";
import { countHistory, planHistory } from "./plan.ts";
import { kindOf, listIn } from "./records.ts";
import { createFirsts, createLasts, type Firsts, foldFirsts, foldLasts, type Lasts } from "./row-fold.ts";
import { emptyProblem, isEmpty, rowOf } from "./skim.ts";
import { skimFile } from "./skim-file.ts";
import { openRecords, type RecordSource } from "./source.ts";
import { foldStarted, readSubagents, type StartedBy } from "./subagents.ts";
import { createTimeline, foldTimeline, orderProblems, type Timeline } from "./timeline.ts";

/** Errors: `not_found`, `unreadable`. */
export async function openSession(
  found: FoundSession,
  places: Places,
  options: OpenOptions,
): Promise<OpenedSession> {
  const file = found.files.at(-1);
  if (file === undefined) {
    throw new ContinuoError("unreadable", found.problems[0]?.message ?? `cannot read ${found.location}`);
  }
  const records = openRecords(file.path, file.sizeBytes, options.keep);
  try {
    const read = await readFile(records, found, file, options);
    return await toOpened(found, places, file, records, read);
  } catch (error) {
    records.close();
    throw error;
  }
}

interface Read {
  readonly index: Index;
  readonly timeline: Timeline;
  readonly facts: Facts;
  readonly firsts: Firsts;
  readonly lasts: Lasts;
  readonly started: Map<string, StartedBy>;
  /** Records that Gemini CLI itself does not see. */
  readonly lost: ReadonlySet<number>;
  readonly partial: boolean;
}

async function readFile(
  records: RecordSource,
  found: FoundSession,
  file: FoundFile,
  options: OpenOptions,
): Promise<Read> {
  for (let bytes = options.newestBytes ?? file.sizeBytes; ; bytes *= 4) {
    const partial = bytes < file.sizeBytes && records.form === "lines";
    const read = await readFrom(records, found, partial ? file.sizeBytes - bytes : 0, options.signal);
    // A window that holds no whole message, because a record is longer than it, tells nothing.
    if (partial && !isListed(read)) continue;
    if (partial || records.form === "whole") return read;
    const lost = await recordsWithSeparators(file.path, file.sizeBytes, read.index, options.signal);
    return { ...read, lost };
  }
}

async function readFrom(
  records: RecordSource,
  found: FoundSession,
  from: number,
  signal: AbortSignal | undefined,
): Promise<Read> {
  const partial = from > 0;
  const index = createIndex();
  const timeline = createTimeline(index);
  const facts = createFacts(index.ids);
  const firsts = createFirsts();
  const lasts = createLasts();
  const started = new Map<string, StartedBy>();
  for await (const batch of records.scan({ part: "whole", from, ...(signal ? { signal } : {}) })) {
    for (const record of batch) {
      foldFacts(facts, record, found.sessionId);
      if (record.value === undefined) continue;
      foldTimeline(timeline, addRecord(index, record), record.value, partial);
      if (!isJson(record.value)) continue;
      foldFirsts(firsts, record.value);
      foldLasts(lasts, record.value);
      for (const message of [record.value, ...(listIn(record.value, kindOf(record.value)) ?? [])]) {
        if (isJson(message)) foldStarted(started, message);
      }
    }
  }
  for (const problem of [...timeline.problems, ...orderProblems(timeline)]) facts.problems.add(problem);
  for (const problem of pairProblemsOf(index, partial)) facts.problems.add(problem);
  if (!partial) for (const problem of wholeProblems(facts, found.sessionId)) facts.problems.add(problem);
  for (const problem of records.problems()) facts.problems.add(problem);
  return { index, timeline, facts, firsts, lasts, started, lost: new Set(), partial };
}

/** Whether Gemini CLI finds something to go on with in the list as it is now. */
function isListed({ index, timeline }: Pick<Read, "index" | "timeline">): boolean {
  return timeline.list.some((node) => {
    if (has(index, node, FLAG.user)) return !has(index, node, FLAG.dropped);
    if (!has(index, node, FLAG.gemini)) return false;
    const { said, calls } = marksOf(index, node);
    return said.length + calls.length > 0;
  });
}

async function toOpened(
  found: FoundSession,
  places: Places,
  file: FoundFile,
  records: RecordSource,
  read: Read,
): Promise<OpenedSession> {
  const { index, timeline, facts, lost, partial, started } = read;
  const children = new Map([...started].map(([id, by]) => [by.toolCallId, id]));
  const source: HistorySource = { index, records, children, lost, withLines: !partial };
  const branches = toBranches(index, timeline);
  const leaves = await toLeaves(source, branches);
  const problems = await allProblems(found, places, file, records, read);
  const row = rowOf(found, read.firsts, read.lasts, problems);
  const active = branches.find((branch) => branch.active)?.list ?? [];
  const { toolCalls, ...messages } = countHistory(index, planHistory(index, active));
  return {
    details: {
      ...row,
      messages,
      toolCalls,
      branches: leaves.length,
      records: facts.records,
      unknownRecords: Object.fromEntries(facts.unknownRecords),
      models: [...facts.models],
      usage: facts.usage,
      // Gemini CLI does not write down its version.
      agentVersions: [],
      subagents: readSubagents(found.location, found.sessionId, started),
      forkedFrom: null,
    },
    leaves,
    problems: row.problems,
    partial,
    entries: (signal) => entriesOf(found, records, { index, active, lost }, signal),
    history: (options = {}) => historyOf(source, branches, options),
    close: () => records.close(),
    [Symbol.dispose]: () => records.close(),
  };
}

async function allProblems(
  found: FoundSession,
  places: Places,
  file: FoundFile,
  records: RecordSource,
  read: Read,
): Promise<Problem[]> {
  const { index, facts, firsts, lasts, lost, partial } = read;
  for (const problem of separatorProblems(lost, index)) facts.problems.add(problem);
  const problems = facts.problems.all();
  if (partial) return problems;
  if (isEmpty(firsts)) problems.push(emptyProblem(file.sizeBytes));
  problems.push(...(await otherFileProblems(found)));
  const isRead = facts.hasMetadata && (facts.hasProjectHash || records.form === "whole");
  const { cwd } = rowOf(found, firsts, lasts, []);
  const listed = isRead && isListed(read);
  const session = { cwd, lastUpdated: lasts.lastUpdated, listed };
  return [...problems, ...(await readDeletions(found, session, places, Date.now()))];
}

/** A conversation in a file that Gemini CLI passes over, unless it is the one that it wrote anew. */
async function otherFileProblems(found: FoundSession): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const other of found.files.slice(0, -1)) {
    if (found.location === `${other.path}l`) continue;
    const { firsts } = await skimFile(other, { part: "ends" });
    if (!firsts.conversation) continue;
    const message = `${basename(other.path)} names the same session; Gemini CLI reads this file, with the newer lastUpdated`;
    problems.push({ code: "duplicate_id", line: null, message });
  }
  return problems;
}

async function* historyOf(
  source: HistorySource,
  branches: readonly Branch[],
  options: HistoryOptions,
): AsyncGenerator<Message, void, void> {
  const { leaf } = options;
  const branch = branches.find((each) => (leaf === undefined ? each.active : each.id === leaf));
  if (branch !== undefined) {
    yield* readHistory(source, branch.list, options);
    return;
  }
  if (leaf !== undefined) throw new ContinuoError("not_found", `no branch of this session ends in ${leaf}`);
}

interface Listed extends Pick<Read, "index" | "lost"> {
  readonly active: readonly number[];
}

async function* entriesOf(
  found: FoundSession,
  records: RecordSource,
  { index, active, lost }: Listed,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, void, void> {
  for (const other of found.files.slice(0, -1)) {
    using file = openRecords(other.path, other.sizeBytes);
    for await (const batch of file.scan({ part: "whole", ...(signal ? { signal } : {}) })) {
      for (const { line, value } of batch) {
        if (value !== undefined) yield { file: other.path, ...entryOf(line, value, false) };
      }
    }
  }
  const onPath = new Uint8Array(index.records);
  for (const node of active) {
    onPath[index.record[node] ?? 0] = 1;
    const own = index.own[node] ?? -1;
    if (own !== -1) onPath[index.record[own] ?? 0] = 1;
  }
  for (let record = 0; record < index.records; record++) {
    signal?.throwIfAborted();
    const place = placeOf(index, record);
    const entry = entryOf(place.line, await records.fetch(place), onPath[record] === 1);
    yield lost.has(record) ? { ...entry, rawSeparators: true } : entry;
  }
}

function entryOf(line: number, value: unknown, active: boolean): Entry {
  const fields = isJson(value) ? value : {};
  const kind = kindOf(value);
  const type =
    kind === "set"
      ? "$set"
      : kind === "rewind"
        ? "$rewindTo"
        : kind === "metadata"
          ? kind
          : String(fields.type ?? "");
  return { line, id: kind === "message" ? String(fields.id) : null, parentId: null, type, active, value };
}
