/**
 * The scan of a session: one pass folds the index, the list, the row and the facts; histories then fetch records by
 * place. Files of the same session that Gemini CLI does not read become only entries.
 */

import { basename } from "node:path";
import { type Entry, type Problem, present } from "@continuo/core/model";
import { isJson, textOfValue } from "@continuo/files";
import type { LineRecord } from "@continuo/files/records";
import { allProblems, type FoundSession, hasFlag, type Places, placeOf } from "../kit/index.ts";
import {
  newestFileOf,
  type Scan,
  type ScanContext,
  type ScanFacts,
  type ScanSource,
  toLineSource,
} from "../scanning/index.ts";
import { readDeletions, separatorProblems } from "./expiry.ts";
import { createFacts, type Facts, foldFacts, wholeProblems } from "./facts-fold.ts";
import { type HistorySource, readHistory, stepsTo } from "./history.ts";
import { addRecord, createIndex, FLAG, marksOf } from "./index-fold.ts";
import { toBranches, toTips } from "./leaves.ts";
import { isResumable, kindOf, listIn } from "./records.ts";
import {
  createFirsts,
  createLasts,
  foldFirsts,
  foldLasts,
  type HeadFacts,
  type TailFacts,
} from "./row-fold.ts";
import { emptyProblem, isEmpty, rowOf } from "./skim.ts";
import { skimFile } from "./skim-file.ts";
import { openRecords, type RecordSource } from "./source.ts";
import { foldStarted, type ParentCall, readSubagents } from "./subagents.ts";
import { createTimeline, foldTimeline, orderProblems, type Timeline } from "./timeline.ts";
import { pairProblemsOf } from "./tool-pairs.ts";

/** Numbers of messages, from the first to the last of a branch. */
type List = readonly number[];

interface ScanState {
  readonly sessionId: string;
  readonly partial: boolean;
  /** Contains the index. */
  readonly timeline: Timeline;
  readonly facts: Facts;
  readonly firsts: HeadFacts;
  readonly lasts: TailFacts;
  readonly started: Map<string, ParentCall>;
  /** Records that Gemini CLI itself does not see. */
  readonly lost: Set<number>;
  /** The line of the list that removed all messages; `null` after another list restored them. */
  emptied: number | null;
}

interface GeminiSource extends ScanSource<LineRecord> {
  readonly file: RecordSource;
}

export const geminiScan: Scan<ScanState, LineRecord, GeminiSource, List> = {
  version: "gemini-5",
  async open(found, { keep }) {
    const { path, sizeBytes } = newestFileOf(found);
    const file = openRecords(path, sizeBytes, keep);
    if (file.lines !== null) return { ...toLineSource(file.lines, sizeBytes), file };
    const { problems, close } = file;
    return { file, windowBytes: () => null, records: () => file.scan(), problems, growing: null, close };
  },
  create: ({ found, partial }) => ({
    sessionId: found.sessionId,
    partial,
    timeline: createTimeline(createIndex()),
    facts: createFacts(),
    firsts: createFirsts(),
    lasts: createLasts(),
    started: new Map(),
    lost: new Set(),
    emptied: null,
  }),
  fold(state, record) {
    const { sessionId, partial, timeline, facts, firsts, lasts, started, lost } = state;
    foldFacts(facts, record, { sessionId, ids: timeline.index.ids });
    const { value } = record;
    if (value === undefined) return;
    const at = addRecord(timeline.index, record);
    if (record.separators && !partial) lost.add(at);
    foldEmptied(state, record);
    foldTimeline(timeline, at, value, partial);
    if (!isJson(value)) return;
    foldFirsts(firsts, value);
    foldLasts(lasts, value);
    for (const message of [value, ...(listIn(value, kindOf(value)) ?? [])]) {
      if (isJson(message)) foldStarted(started, message);
    }
  },
  isEnough: isListed,
  async finish(state, context, places) {
    const { found, source, partial } = context;
    const { timeline, started, lost } = state;
    const { index } = timeline;
    const children = new Map([...started].map(([id, by]) => [by.toolCallId, id]));
    const history: HistorySource = { index, records: source.file, children, lost, withLines: !partial };
    const branches = toBranches(index, timeline);
    const problems = await problemsOf(state, { ...context, places });
    return {
      facts: toFacts(found, state, problems),
      tips: await toTips(history, branches),
      nodeOf: () => null,
      history: (list, options) => readHistory(history, list, options),
      steps: (list) => stepsTo(history, list),
      entries: (entrySignal) => {
        const active = branches.find((branch) => branch.active)?.list ?? [];
        return entriesOf(found, history, active, entrySignal);
      },
    };
  },
};

/** At the start of a resumption Gemini CLI writes a list without the conversation, and then one with it. */
function foldEmptied(state: ScanState, { line, value }: LineRecord): void {
  const list = isJson(value) && kindOf(value) === "set" ? listIn(value, "set") : null;
  if (list === null) return;
  if (list.some((item) => isJson(item) && isResumable(item))) state.emptied = null;
  else if (isListed(state)) state.emptied ??= line;
}

/** Returns true if Gemini CLI finds something to continue in the list as it is now. */
function isListed({ timeline }: ScanState): boolean {
  const { index, list } = timeline;
  return list.some((node) => {
    if (hasFlag(index, node, FLAG.user)) return !hasFlag(index, node, FLAG.dropped);
    if (!hasFlag(index, node, FLAG.gemini)) return false;
    const { said, calls } = marksOf(index, node);
    return said.length + calls.length > 0;
  });
}

function toFacts(
  found: FoundSession,
  { facts, firsts, lasts, started }: ScanState,
  problems: readonly Problem[],
): ScanFacts {
  return {
    ...rowOf(found, firsts, lasts, problems),
    records: facts.records,
    unknownRecords: Object.fromEntries(facts.unknownRecords),
    models: [...facts.models],
    usage: facts.usage,
    // Gemini CLI does not write down its version.
    agentVersions: [],
    subagents: readSubagents(found.location, found.sessionId, started),
    forkedFrom: null,
  };
}

interface GeminiScanContext extends ScanContext<GeminiSource> {
  readonly places: Places;
}

async function problemsOf(
  state: ScanState,
  { found, source, partial, places }: GeminiScanContext,
): Promise<Problem[]> {
  const { timeline, facts, firsts, lasts, lost } = state;
  const { index } = timeline;
  const problems = allProblems(
    facts.problems,
    timeline.problems,
    orderProblems(timeline),
    pairProblemsOf(index, partial),
    partial ? [] : wholeProblems(facts, found.sessionId),
    source.problems(),
    separatorProblems(lost, index),
  );
  if (partial) return problems;
  if (isEmpty(firsts)) problems.push(emptyProblem(newestFileOf(found).sizeBytes));
  if (state.emptied !== null && !isListed(state)) {
    const message =
      "Gemini CLI cannot resume the session: this list takes out the conversation, and none brings it back";
    problems.push({ code: "cannot_resume", line: state.emptied, message });
  }
  problems.push(...(await otherFileProblems(found)));
  const isRead = facts.hasMetadata && (facts.hasProjectHash || source.file.form === "whole");
  const { cwd } = rowOf(found, firsts, lasts, []);
  const session = { cwd, lastUpdated: lasts.lastUpdated, listed: isRead && isListed(state) };
  return [...problems, ...(await readDeletions(found, session, places, Date.now()))];
}

/** A conversation in a file that Gemini CLI ignores, unless Gemini CLI rewrote that file. */
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

async function* entriesOf(
  found: FoundSession,
  { index, records, lost }: HistorySource,
  active: List,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, void, void> {
  for (const other of found.files.slice(0, -1)) {
    using file = openRecords(other.path, other.sizeBytes);
    for await (const batch of file.scan(present({ part: "whole", signal } as const))) {
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
          : textOfValue(fields.type ?? "");
  return {
    line,
    id: kind === "message" ? textOfValue(fields.id) : null,
    parentId: null,
    type,
    active,
    value,
  };
}
