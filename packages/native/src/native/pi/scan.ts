/** The scan of a session: one pass folds the index and the row; histories then fetch entries by their place. */

import { existsSync } from "node:fs";
import { type Entry, type Problem, present } from "@continuo/core/model";
import { isJson } from "@continuo/files";
import type { LineRecord } from "@continuo/files/records";
import {
  allProblems,
  type FoundSession,
  hasFlag,
  pairProblems,
  pathTo,
  placeOf,
  toTitle,
} from "../kit/index.ts";
import {
  type IndexedLines,
  type LineSource,
  lineEntries,
  type MessageCounts,
  newestFileOf,
  openLineSource,
  type Scan,
  type ScanFacts,
  type Tip,
} from "../scanning/index.ts";
import { idOf, linkRecords } from "./branches.ts";
import { type LinkedScan, nodeOf, readHistory, stepsTo } from "./history.ts";
import { createIndex, FLAG, foldIndex, type Index, KIND } from "./index-fold.ts";
import { filledField, typedText } from "./records.ts";
import {
  createFirsts,
  createLasts,
  foldFirsts,
  foldLasts,
  type HeadFacts,
  type TailFacts,
} from "./row-fold.ts";
import { headProblems, rowOf, skimFirsts } from "./skim.ts";

interface ScanState {
  readonly index: Index;
  readonly firsts: HeadFacts;
  readonly lasts: TailFacts;
  readonly partial: boolean;
}

export const piScan: Scan<ScanState, LineRecord, LineSource, number> = {
  version: "pi-3",
  open: openLineSource,
  async create({ found, partial, signal }) {
    const firsts = createFirsts();
    const index = createIndex();
    if (partial) await skimFirsts(newestFileOf(found), firsts, present({ part: "ends", signal } as const));
    // Entries of version 1 are identified by their line, which is not known if only the end of a file is read.
    if (partial && (firsts.header === null || firsts.header.version < 2)) return null;
    index.header = firsts.header;
    return { index, firsts, lasts: createLasts(), partial };
  },
  fold({ index, firsts, lasts, partial }, record) {
    foldIndex(index, record);
    if (!isJson(record.value)) return;
    if (!partial) foldFirsts(firsts, record.value);
    foldLasts(lasts, record.value);
  },
  isEnough: ({ index }) => linkRecords(index, { partial: true }).leaf !== -1,
  async finish({ index, firsts, lasts }, { found, source, partial }) {
    const tree = linkRecords(index, { partial });
    const scan: LinkedScan = { index, tree, lines: source.lines, partial };
    const read: PiScan = { ...scan, firsts, lasts };
    const tips: Tip<number>[] = [];
    for (const tip of tree.tips) tips.push(await toTip(read, tip));
    return {
      facts: toFacts(found, read, problemsOf(found, read, source.problems())),
      tips,
      nodeOf: (id) => nodeOf(scan, id),
      history: (node, options) => readHistory(scan, node, options),
      steps: (node) => stepsTo(scan, node),
      entries: (signal) => lineEntries(source, { ...linesOf(read), withLines: !partial }, signal),
    };
  },
};

interface PiScan extends LinkedScan {
  readonly firsts: HeadFacts;
  readonly lasts: TailFacts;
}

/** In a part of a file, the line numbers are not those of the file, so they are left out. */
function problemsOf(found: FoundSession, read: PiScan, ofFile: readonly Problem[]): Problem[] {
  const { index, tree, firsts, partial } = read;
  const whole = partial ? [] : [...pairProblems(index.pairs), ...parentProblems(read)];
  const all = allProblems(index.problems, tree.problems, whole, ofFile);
  return [
    ...found.problems,
    ...headProblems(found, firsts),
    ...(partial ? all.map((problem) => ({ ...problem, line: null })) : all),
  ];
}

/** The entries of a fork are copies, so the file that it came from is needed only if entries are missing here. */
function parentProblems({ firsts, tree }: PiScan): Problem[] {
  const parent = firsts.header?.parentSession ?? null;
  if (parent === null || !tree.lost || existsSync(parent)) return [];
  const message = `entries are missing that ${parent} may have held, and that file is gone`;
  return [{ code: "missing_parent_session", line: null, message }];
}

function toFacts(found: FoundSession, read: PiScan, problems: readonly Problem[]): ScanFacts {
  const { index, firsts, lasts } = read;
  const row = rowOf(found, firsts, lasts, []);
  return {
    ...row,
    problems,
    records: index.count,
    unknownRecords: Object.fromEntries(index.unknown),
    models: [...index.models],
    usage: index.usage,
    // pi writes the version of the format, not its own.
    agentVersions: [],
    subagents: [],
    forkedFrom: row.forkedFrom ?? null,
  };
}

async function toTip({ index, tree, lines }: PiScan, tip: number): Promise<Tip<number>> {
  const path = pathTo(tree.up, tip);
  const typed = path.findLast((record) => hasFlag(index, record, FLAG.typed));
  const value = typed === undefined ? null : await lines.fetch(placeOf(index, typed));
  const timed = path.findLast((record) => !Number.isNaN(index.time[record]));
  return {
    node: tip,
    id: idOf(index, tip),
    active: tip === tree.leaf,
    updatedAt: timed === undefined ? null : new Date(index.time[timed] ?? 0).toISOString(),
    counts: countMessages(index, path),
    label: isJson(value) ? toTitle(typedText(value)) : null,
  };
}

function countMessages(index: Index, path: Int32Array): MessageCounts {
  const counts = { total: 0, user: 0, assistant: 0, tool: 0, system: 0, toolCalls: 0 };
  for (const record of path) {
    const role = ROLES[index.kind[record] ?? KIND.silent];
    counts.toolCalls += index.calls[record] ?? 0;
    if (role === undefined) continue;
    counts.total += 1;
    counts[role] += 1;
  }
  return counts;
}

/** The keys are the kinds of messages; other kinds are not messages. */
const ROLES: Readonly<Record<number, "user" | "assistant" | "tool" | "system">> = {
  [KIND.user]: "user",
  [KIND.assistant]: "assistant",
  [KIND.tool]: "tool",
  [KIND.system]: "system",
};

function linesOf({ index, tree }: PiScan): Omit<IndexedLines, "withLines"> {
  const active = new Uint8Array(index.count);
  if (tree.leaf !== -1) for (const record of pathTo(tree.up, tree.leaf)) active[record] = 1;
  return {
    count: index.count,
    placeOf: (record) => placeOf(index, record),
    isActive: (record) => active[record] === 1,
    toEntry,
  };
}

function toEntry(value: unknown): Pick<Entry, "id" | "parentId" | "type"> {
  const fields = isJson(value) ? value : {};
  return {
    id: filledField(fields, "id"),
    parentId: filledField(fields, "parentId"),
    type: filledField(fields, "type") ?? "",
  };
}
