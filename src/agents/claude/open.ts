/**
 * Opens a session: one scan folds the index, the row and the facts; histories then fetch lines by place.
 */

import {
  ContinuoError,
  type Entry,
  type Leaf,
  type Message,
  type Problem,
  type SubagentInfo,
} from "../../model/index.ts";
import type {
  FoundFile,
  FoundSession,
  HistoryOptions,
  OpenedSession,
  OpenOptions,
  Places,
} from "../reader/index.ts";
import { isJson, textField, toTitle } from "../reader/index.ts";
import { type LineFile, openLines } from "../records/index.ts";
import { findBranches, linkRecords, pathTo, type Scope, type Tree } from "./branches.ts";
import { readExpiry } from "./expiry.ts";
import { createFacts, type Facts, finishUsage, foldFacts, sessionIdProblems } from "./facts-fold.ts";
import { createHistoryReader, type HistoryReader } from "./history.ts";
import { createIndex, FLAG, foldIndex, has, type Index, placeOf } from "./index-fold.ts";
import { pairProblemsOf } from "./pairing.ts";
import { countHistory, planHistory } from "./plan.ts";
import { typedText } from "./records.ts";
import { createFirsts, createLasts, type Firsts, foldFirsts, foldLasts, type Lasts } from "./row-fold.ts";
import { emptyProblem, rowOf, sidechainsOf } from "./skim.ts";
import { inlineSubagents, readSubagents } from "./subagents.ts";

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
  const lines = openLines(file.path, file.sizeBytes, options.keep);
  try {
    const read = await readFile(lines, found, file, options);
    const subagents = await subagentsOf(found, file, read);
    return toOpened({ found, file, lines, read, subagents, expiry: readExpiry(file, places, Date.now()) });
  } catch (error) {
    lines.close();
    throw error;
  }
}

/** A sub-agent's own sub-agents lie beside it, with the session, and are listed there. */
async function subagentsOf(found: FoundSession, file: FoundFile, read: Read): Promise<SubagentInfo[]> {
  if (sidechainsOf(found) === "own") return [];
  const beside = await readSubagents(file.path, found.sessionId);
  return [...beside, ...inlineSubagents(read.index, read.tree, file.path)];
}

interface Read {
  readonly index: Index;
  readonly facts: Facts;
  readonly firsts: Firsts;
  readonly lasts: Lasts;
  readonly tree: Tree;
  readonly tips: readonly number[];
  readonly partial: boolean;
}

async function readFile(
  lines: LineFile,
  found: FoundSession,
  file: FoundFile,
  options: OpenOptions,
): Promise<Read> {
  for (let bytes = options.newestBytes ?? file.sizeBytes; ; bytes *= 4) {
    const partial = bytes < file.sizeBytes;
    const read = await readFrom(lines, found, partial ? file.sizeBytes - bytes : 0, options.signal);
    // A window that holds no whole message, because a line is longer than it, tells nothing.
    if (!partial || read.firsts.conversation) return read;
  }
}

async function readFrom(
  lines: LineFile,
  found: FoundSession,
  from: number,
  signal: AbortSignal | undefined,
): Promise<Read> {
  const index = createIndex();
  const facts = createFacts();
  const firsts = createFirsts();
  const lasts = createLasts();
  const sidechains = sidechainsOf(found);
  const expected = sidechains === "own" ? null : found.sessionId;
  for await (const records of lines.scan({ part: "whole", from, ...(signal ? { signal } : {}) })) {
    for (const record of records) {
      const { value } = record;
      const at = value === undefined ? -1 : foldIndex(index, record, value);
      foldFacts(facts, record, { sessionId: expected, answer: index.message[at] ?? -1 });
      if (!isJson(value)) continue;
      foldFirsts(firsts, value, sidechains);
      foldLasts(lasts, value);
    }
  }
  const partial = from > 0;
  const tree = linkRecords(index, { scope: scopeOf(found), partial });
  const branches = findBranches(index, tree);
  for (const problem of [...tree.problems, ...branches.problems]) facts.problems.add(problem);
  for (const problem of pairProblemsOf(index, tree, partial)) facts.problems.add(problem);
  if (!partial)
    for (const problem of sessionIdProblems(facts, index.count, expected)) facts.problems.add(problem);
  for (const problem of lines.problems()) facts.problems.add(problem);
  return { index, facts, firsts, lasts, tree, tips: branches.tips, partial };
}

function scopeOf(found: FoundSession): Scope {
  const file = found.files.at(-1)?.path;
  if (file !== found.location) return { type: "sidechain", root: found.sessionId };
  return { type: sidechainsOf(found) === "own" ? "all" : "main" };
}

interface Opening {
  readonly found: FoundSession;
  readonly file: FoundFile;
  readonly lines: LineFile;
  readonly read: Read;
  readonly subagents: readonly SubagentInfo[];
  readonly expiry: readonly Problem[];
}

async function toOpened(opening: Opening): Promise<OpenedSession> {
  const { found, file, lines, read, subagents } = opening;
  const { index, tree, facts, tips } = read;
  const children = new Map(facts.children);
  for (const each of subagents) if (each.toolCallId !== null) children.set(each.toolCallId, each.id);
  const history = createHistoryReader({ index, tree, lines, children, withLines: !read.partial });
  const leaves = await Promise.all(tips.map((tip, at) => toLeaf(read, lines, history, tip, at === 0)));
  const own = facts.problems.all();
  if (!read.partial && !read.firsts.conversation) own.push(emptyProblem(file.sizeBytes));
  const row = rowOf(found, read.firsts, read.lasts, [...own, ...opening.expiry]);
  const active = tips[0] === undefined ? [] : planHistory(index, tree, pathTo(tree, tips[0]), read.partial);
  const { toolCalls, ...messages } = countHistory(index, active);
  const details = {
    ...row,
    messages,
    toolCalls,
    branches: leaves.length,
    records: index.count,
    unknownRecords: Object.fromEntries(facts.unknownRecords),
    models: [...facts.models],
    usage: finishUsage(facts),
    agentVersions: [...facts.versions],
    subagents: subagents.map((each) => withCall(each, facts.children)),
    forkedFrom: facts.forkedFrom ?? facts.askedBy,
  };
  return {
    details,
    leaves,
    problems: row.problems,
    partial: read.partial,
    entries: (signal) => entriesOf(read, lines, signal),
    history: (options = {}) => historyOf(read, history, options),
    close: () => lines.close(),
    [Symbol.dispose]: () => lines.close(),
  };
}

/** Without a note beside it, a sub-agent is known by the result that named it. */
function withCall(subagent: SubagentInfo, children: ReadonlyMap<string, string>): SubagentInfo {
  if (subagent.toolCallId !== null) return subagent;
  for (const [call, id] of children) if (id === subagent.id) return { ...subagent, toolCallId: call };
  return subagent;
}

async function toLeaf(
  read: Read,
  lines: LineFile,
  history: HistoryReader,
  tip: number,
  active: boolean,
): Promise<Leaf> {
  const { index, tree } = read;
  const path = pathTo(tree, tip);
  const typed = path.findLast((record) => has(index, record, FLAG.typed));
  const value = typed === undefined ? null : await lines.fetch(placeOf(index, typed));
  const timed = path.findLast((record) => !Number.isNaN(index.time[record]));
  return {
    id: history.idOf(tip),
    active,
    updatedAt: timed === undefined ? null : new Date(index.time[timed] ?? 0).toISOString(),
    messages: countHistory(index, planHistory(index, tree, path, read.partial)).total,
    label: isJson(value) ? toTitle(typedText(value)) : null,
  };
}

async function* historyOf(
  read: Read,
  history: HistoryReader,
  options: HistoryOptions,
): AsyncGenerator<Message, void, void> {
  const tip = options.leaf === undefined ? (read.tips[0] ?? -1) : history.tipOf(options.leaf);
  if (tip === -1) {
    if (options.leaf === undefined) return;
    throw new ContinuoError("not_found", `no branch of this session ends in ${options.leaf}`);
  }
  yield* history.read(tip, options);
}

async function* entriesOf(
  read: Read,
  lines: LineFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, void, void> {
  const { index, tree, tips } = read;
  const active = new Uint8Array(index.count);
  if (tips[0] !== undefined) for (const record of pathTo(tree, tips[0])) active[record] = 1;
  for (let record = 0; record < index.count; record++) {
    signal?.throwIfAborted();
    const value = await lines.fetch(placeOf(index, record));
    const fields = isJson(value) ? value : {};
    yield {
      line: index.line[record] ?? 0,
      id: textField(fields, "uuid"),
      parentId: textField(fields, "parentUuid"),
      type: textField(fields, "type") ?? "",
      active: active[record] === 1,
      value,
    };
  }
}
