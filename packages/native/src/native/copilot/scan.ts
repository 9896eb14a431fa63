/**
 * The scan of a session: one pass folds the index and the row; histories then fetch records by their place. Copilot reads
 * the records in the order of the file, whatever `parentId` says, so that a session has one branch (seen in 1.0.102).
 */

import type { Entry, Problem } from "@continuo/core/model";
import { isJson } from "@continuo/files";
import type { LineRecord } from "@continuo/files/records";
import { allProblems, type FoundSession, hasFlag, pairProblems, placeOf, toTitle } from "../kit/index.ts";
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
import { idOf, type LinkedScan, lastMessage, nodeOf, readHistory, stepsTo } from "./history.ts";
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

export const copilotScan: Scan<ScanState, LineRecord, LineSource, number> = {
  version: "copilot-2",
  open: openLineSource,
  async create({ found, partial, signal }) {
    const firsts = createFirsts();
    const index = createIndex();
    const ends = { part: "ends", ...(signal === undefined ? {} : { signal }) } as const;
    if (partial) await skimFirsts(newestFileOf(found), firsts, ends);
    index.header = partial ? firsts.header : null;
    return { index, firsts, lasts: createLasts(), partial };
  },
  fold({ index, firsts, lasts, partial }, record) {
    foldIndex(index, record);
    if (!isJson(record.value)) return;
    if (!partial) foldFirsts(firsts, record.value);
    foldLasts(lasts, record.value);
  },
  // A picture can be in a record before the window.
  isEnough: ({ index }) => lastMessage(index) !== -1 && index.missingAssets.size === 0,
  async finish({ index, firsts, lasts }, { found, source, partial }) {
    const scan: LinkedScan = { index, lines: source.lines, partial };
    const tip = lastMessage(index);
    return {
      facts: toFacts(
        found,
        { index, firsts, lasts },
        problemsOf(found, { ...scan, firsts }, source.problems()),
      ),
      tips: tip === -1 ? [] : [await toTip(scan, tip)],
      nodeOf: (id) => nodeOf(scan, id),
      history: (node, options) => readHistory(scan, node, options),
      steps: (node) => stepsTo(scan, node),
      entries: (signal) => lineEntries(source, { ...linesOf(index), withLines: !partial }, signal),
    };
  },
};

/** In a part of a file, the line numbers are not those of the file, so they are left out. */
function problemsOf(
  found: FoundSession,
  { index, firsts, partial }: LinkedScan & { readonly firsts: HeadFacts },
  ofFile: readonly Problem[],
): Problem[] {
  const all = allProblems(index.problems, partial ? [] : pairProblems(index.pairs), ofFile);
  return [
    ...found.problems,
    ...headProblems(found, firsts),
    ...(partial ? [] : lostPrompt(index)),
    ...(partial ? all.map((problem) => ({ ...problem, line: null })) : all),
  ];
}

function lostPrompt({ firstSpeaker, firstAnswerLine }: Index): Problem[] {
  if (firstSpeaker !== "model") return [];
  const message = "Copilot cannot resume the session: it begins with an answer, which its vendor refuses";
  return [{ code: "cannot_resume", line: firstAnswerLine, message }];
}

function toFacts(
  found: FoundSession,
  { index, firsts, lasts }: Omit<ScanState, "partial">,
  problems: readonly Problem[],
): ScanFacts {
  return {
    ...rowOf(found, firsts, lasts, []),
    problems,
    records: index.count,
    unknownRecords: Object.fromEntries(index.unknown),
    models: [...index.models],
    usage: index.usage,
    agentVersions: [...index.versions],
    subagents: [...index.subagents.values()].map((one) => ({ ...one, location: found.location })),
    forkedFrom: null,
  };
}

async function toTip({ index, lines }: LinkedScan, tip: number): Promise<Tip<number>> {
  let typed = tip;
  while (typed >= 0 && !hasFlag(index, typed, FLAG.typed)) typed -= 1;
  let timed = tip;
  while (timed >= 0 && Number.isNaN(index.time[timed])) timed -= 1;
  const value = typed === -1 ? null : await lines.fetch(placeOf(index, typed));
  return {
    node: tip,
    id: idOf(index, tip),
    active: true,
    updatedAt: timed === -1 ? null : new Date(index.time[timed] ?? 0).toISOString(),
    counts: countMessages(index),
    label: isJson(value) ? toTitle(typedText(value)) : null,
  };
}

function countMessages(index: Index): MessageCounts {
  const counts = { total: 0, user: 0, assistant: 0, tool: 0, system: 0, toolCalls: 0 };
  for (let record = 0; record < index.count; record++) {
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

function linesOf(index: Index): Omit<IndexedLines, "withLines"> {
  return { count: index.count, placeOf: (record) => placeOf(index, record), isActive: () => true, toEntry };
}

function toEntry(value: unknown): Pick<Entry, "id" | "parentId" | "type"> {
  const fields = isJson(value) ? value : {};
  return {
    id: filledField(fields, "id"),
    parentId: filledField(fields, "parentId"),
    type: filledField(fields, "type") ?? "",
  };
}
