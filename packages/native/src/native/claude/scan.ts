/**
 * Scans a session: one pass folds the index, the row and the facts. Histories then fetch lines by their places.
 */

import type { Entry, Problem, SubagentInfo } from "@continuo/core/model";
import { isJson, textField } from "@continuo/files";
import type { LineRecord } from "@continuo/files/records";
import { allProblems, type FoundSession, hasFlag, pathTo, placeOf, toTitle } from "../kit/index.ts";
import {
  type IndexedLines,
  type LineSource,
  lineEntries,
  newestFileOf,
  openLineSource,
  type Scan,
  type ScanFacts,
  type Tip,
} from "../scanning/index.ts";
import { findBranches, linkRecords, type Scope, type Tree } from "./branches.ts";
import { readExpiry } from "./expiry.ts";
import { createFacts, type Facts, finishUsage, foldFacts, sessionIdProblems } from "./facts-fold.ts";
import { createHistoryReader, type HistoryReader } from "./history.ts";
import { createIndex, FLAG, foldIndex, type Index, KIND } from "./index-fold.ts";
import { countHistory, planHistory } from "./plan.ts";
import { typedText } from "./records.ts";
import {
  createFirsts,
  createLasts,
  foldFirsts,
  foldLasts,
  type HeadFacts,
  type Sidechains,
  type TailFacts,
} from "./row-fold.ts";
import { emptyProblem, rowOf, sidechainsOf } from "./skim.ts";
import { inlineSubagents, readSubagents } from "./subagents.ts";
import { pairProblemsOf } from "./tool-pairs.ts";

interface ScanState {
  /** The session that the file should contain; `null` if lines of other sessions are valid. */
  readonly sessionId: string | null;
  readonly sidechains: Sidechains;
  readonly index: Index;
  readonly facts: Facts;
  readonly firsts: HeadFacts;
  readonly lasts: TailFacts;
}

export const claudeScan: Scan<ScanState, LineRecord, LineSource, number> = {
  version: "claude-4",
  open: openLineSource,
  create({ found }) {
    const sidechains = sidechainsOf(found);
    return {
      sessionId: sidechains === "own" ? null : found.sessionId,
      sidechains,
      index: createIndex(),
      facts: createFacts(),
      firsts: createFirsts(),
      lasts: createLasts(),
    };
  },
  fold({ sessionId, sidechains, index, facts, firsts, lasts }, record) {
    const { value } = record;
    const at = value === undefined ? -1 : foldIndex(index, record, value);
    foldFacts(facts, record, { sessionId, answer: index.message[at] ?? -1 });
    if (!isJson(value)) return;
    foldFirsts(firsts, value, sidechains);
    foldLasts(lasts, value);
  },
  isEnough: ({ firsts }) => firsts.conversation,
  async finish(state, { found, source, partial }, places) {
    const { index, facts } = state;
    const tree = linkRecords(index, { scope: scopeOf(found), partial });
    const { tips: ends, problems } = findBranches(index, tree);
    const read: ClaudeScan = { ...state, source, tree, active: ends[0] ?? -1, partial };
    const subagents = await subagentsOf(found, read);
    const children = new Map(facts.children);
    for (const each of subagents) if (each.toolCallId !== null) children.set(each.toolCallId, each.id);
    const history = createHistoryReader({ index, tree, lines: source.lines, children, withLines: !partial });
    const { cwd } = rowOf(found, state.firsts, state.lasts, []);
    const expiry = await readExpiry(newestFileOf(found), cwd, places, Date.now());
    return {
      facts: toFacts(found, read, subagents, [...problemsOf(found, read, problems), ...expiry]),
      tips: await Promise.all(ends.map((end) => toTip(read, history, end))),
      nodeOf: history.nodeOf,
      history: (node, options) => history.read(node, options),
      steps: history.steps,
      entries: (signal) => lineEntries(source, linesOf(read), signal),
    };
  },
};

interface ClaudeScan extends ScanState {
  readonly source: LineSource;
  readonly tree: Tree;
  /** The end of the active branch; -1 for none. */
  readonly active: number;
  readonly partial: boolean;
}

function scopeOf(found: FoundSession): Scope {
  const file = found.files.at(-1)?.path;
  if (file !== found.location) return { type: "sidechain", root: found.sessionId };
  return { type: sidechainsOf(found) === "own" ? "all" : "main" };
}

/** The sub-agents of a sub-agent are not listed here: their files are next to its file, and the session lists them. */
async function subagentsOf(found: FoundSession, { index, tree }: ClaudeScan): Promise<SubagentInfo[]> {
  if (sidechainsOf(found) === "own") return [];
  const { path } = newestFileOf(found);
  return [...(await readSubagents(path, found.sessionId)), ...inlineSubagents(index, tree, path)];
}

function problemsOf(found: FoundSession, read: ClaudeScan, branches: readonly Problem[]): Problem[] {
  const { index, facts, tree, partial, sessionId } = read;
  const all = allProblems(
    facts.problems,
    tree.problems,
    branches,
    pairProblemsOf(index, tree, partial),
    partial ? [] : lostPrompt(read),
    partial ? [] : sessionIdProblems(facts, index.count, sessionId),
    read.source.problems(),
  );
  const isEmpty = !partial && !read.firsts.conversation;
  return isEmpty ? [...all, emptyProblem(newestFileOf(found).sizeBytes)] : all;
}

/** Finds a conversation that begins with an answer, without a message of the user before it. The API refuses it. */
function lostPrompt({ index, tree, active }: ClaudeScan): Problem[] {
  if (active === -1) return [];
  const path = pathTo(tree.up, active);
  const first = path.find(
    (record) => hasFlag(index, record, FLAG.sent) || index.kind[record] === KIND.assistant,
  );
  if (first === undefined || index.kind[first] !== KIND.assistant) return [];
  const message = "Claude Code cannot resume the session: it begins with an answer, which the API refuses";
  return [{ code: "cannot_resume", line: index.line[first] ?? null, message }];
}

function toFacts(
  found: FoundSession,
  { index, facts, firsts, lasts }: ClaudeScan,
  subagents: readonly SubagentInfo[],
  problems: readonly Problem[],
): ScanFacts {
  return {
    ...rowOf(found, firsts, lasts, problems),
    records: index.count,
    unknownRecords: Object.fromEntries(facts.unknownRecords),
    models: [...facts.models],
    usage: finishUsage(facts),
    agentVersions: [...facts.versions],
    subagents: subagents.map((each) => withCall(each, facts.children)),
    forkedFrom: facts.forkedFrom ?? facts.askedBy,
  };
}

/** If a sub-agent has no JSON file, its call is found by the result that names the sub-agent. */
function withCall(subagent: SubagentInfo, children: ReadonlyMap<string, string>): SubagentInfo {
  if (subagent.toolCallId !== null) return subagent;
  for (const [call, id] of children) if (id === subagent.id) return { ...subagent, toolCallId: call };
  return subagent;
}

async function toTip(
  { index, tree, source, active, partial }: ClaudeScan,
  history: HistoryReader,
  tip: number,
): Promise<Tip<number>> {
  const path = pathTo(tree.up, tip);
  const typed = path.findLast((record) => hasFlag(index, record, FLAG.typed));
  const value = typed === undefined ? null : await source.lines.fetch(placeOf(index, typed));
  const timed = path.findLast((record) => !Number.isNaN(index.time[record]));
  return {
    node: tip,
    id: history.idOf(tip),
    active: tip === active,
    updatedAt: timed === undefined ? null : new Date(index.time[timed] ?? 0).toISOString(),
    counts: countHistory(index, planHistory(index, tree, path, partial)),
    label: isJson(value) ? toTitle(typedText(value)) : null,
  };
}

function linesOf({ index, tree, active }: ClaudeScan): IndexedLines {
  const isActive = new Uint8Array(index.count);
  if (active !== -1) for (const record of pathTo(tree.up, active)) isActive[record] = 1;
  return {
    count: index.count,
    placeOf: (record) => placeOf(index, record),
    isActive: (record) => isActive[record] === 1,
    withLines: true,
    toEntry,
  };
}

function toEntry(value: unknown): Pick<Entry, "id" | "parentId" | "type"> {
  const fields = isJson(value) ? value : {};
  return {
    id: textField(fields, "uuid"),
    parentId: textField(fields, "parentUuid"),
    type: textField(fields, "type") ?? "",
  };
}
