/** The scan of a session: the records of all its files, folded file after file. */

import { addUsage, type Entry, type Problem, present, type SubagentInfo } from "@continuo/core/model";
import type { FoundSession } from "../kit/index.ts";
import { allProblems, pairProblems, toTitle } from "../kit/index.ts";
import type { MessageCounts, Scan, ScanFacts, Tip } from "../scanning/index.ts";
import { type MessageDraft, pathTo } from "./drafts.ts";
import { entriesBefore, ownEntries } from "./entries.ts";
import { fileOf, type HeaderInfo, mtimeOf, readHeaderInfo } from "./header.ts";
import { fallbackId, fetchSlot, readHistory, stepsTo } from "./history.ts";
import { finish, fold, isDone } from "./index-fold.ts";
import { toolsInRecord } from "./items.ts";
import { findFile, readHead } from "./lineage.ts";
import { orderProblems } from "./order.ts";
import { parseRecord } from "./records.ts";
import { fromPlainState, toPlainState } from "./saved-state.ts";
import { findFirstTyped } from "./skim.ts";
import { type FileRecord, openRollouts, type RolloutSource } from "./source.ts";
import { beginFile, createState, type ScannedFile, type ScanResult, type ScanState } from "./state.ts";
import { typedText } from "./text-authors.ts";

export const codexScan: Scan<ScanState, FileRecord, RolloutSource, MessageDraft> = {
  version: "codex-6",
  plain: { to: toPlainState, from: fromPlainState },
  open: openRollouts,
  create: ({ source, partial }) => createState(source.lineage.files, partial ? "newest" : "all"),
  fold(state, { file, line }) {
    if (state.begun <= file) beginFile(state, file);
    const index = state.files[file];
    if (index !== undefined) fold(index, line);
  },
  isFileDone: ({ files, begun }) => {
    const file = files[begun - 1];
    return file !== undefined && isDone(file);
  },
  isEnough: () => true,
  async finish(state, { found, source, partial }) {
    beginFile(state, state.files.length - 1);
    const last = state.files.at(-1);
    if (last !== undefined) finish(last);
    const all = source.files.map((file, at) => ({ ...file, index: state.files[at] }));
    const files = (partial ? all.slice(-1) : all) as ScannedFile[];
    const scanned: ScanResult = { files, session: state.session };
    const header = await readHeaderInfo(found, source.lineage);
    const tips = await toTips(scanned);
    const typed = partial ? await findFirstTyped(source.lineage, { part: "ends" }) : state.session.firstTyped;
    const problems = files.flatMap((file) => problemsOf(file, found, partial ? "expect" : "report"));
    return {
      facts: {
        ...toFacts(found, header, scanned, problems),
        title: header.givenTitle ?? typed,
        subagents: await readSubagents(scanned, found),
      },
      tips,
      nodeOf: () => null,
      filesBefore: {
        there: source.lineage.files.flatMap(({ own, stat }) => (own ? [] : [stat])),
        gone: source.lineage.gone,
      },
      history: (draft, options) => readHistory(scanned, found, draft, options),
      steps: (draft) => stepsTo(scanned, found, draft),
      entries: (signal) => ownEntries(scanned, found, signal),
      entriesBefore: (signal) => entriesBefore(scanned, found, signal),
      ...present({
        toolsIn: partial || state.session.hasTools ? ({ value }: Entry) => toolsInRecord(value) : undefined,
      }),
    };
  },
};

/** A part of a file, and a file of another thread, may have calls without results at its edge. */
function problemsOf(
  { source, lines, index }: ScannedFile,
  found: FoundSession,
  halves: "report" | "expect",
): Problem[] {
  const pairs = source.own && halves === "report" ? pairProblems(index.pairs) : [];
  const problems = allProblems(index.problems, pairs, orderProblems(index.order), lines.problems());
  const file = fileOf(found, source.path);
  return problems.map((problem) => ({ ...problem, ...file }));
}

function toFacts(
  found: FoundSession,
  { givenTitle: _, ...info }: HeaderInfo,
  { session, files }: ScanResult,
  problems: readonly Problem[],
): Omit<ScanFacts, "title" | "subagents"> {
  const own = files.filter(({ index }) => index.own).map(({ index }) => index);
  const usages = own.flatMap(({ usage }) => usage.sum ?? []);
  return {
    ...info,
    updatedAt: own.at(-1)?.updatedAt ?? mtimeOf(found),
    problems: [...info.problems, ...problems],
    records: own.reduce((sum, { records }) => sum + records, 0),
    unknownRecords: Object.fromEntries(session.unknown),
    models: [...session.models],
    usage: usages.length === 0 ? null : usages.reduce((sum, more) => addUsage(sum, more)),
    agentVersions: [...session.versions],
  };
}

async function readSubagents({ session }: ScanResult, found: FoundSession): Promise<SubagentInfo[]> {
  const subagents: SubagentInfo[] = [];
  for (const [id, { toolCallId, path, model }] of session.children) {
    const file = findFile(found, id);
    if (file === null) continue;
    const parent = (await readHead(file)).meta?.parentThread;
    subagents.push({
      id,
      location: file.path,
      type: parent?.role ?? null,
      description: path ?? parent?.name ?? null,
      toolCallId,
      model,
      sizeBytes: file.sizeBytes,
    });
  }
  return subagents;
}

async function toTips(scanned: ScanResult): Promise<Tip<MessageDraft>[]> {
  const tips: Tip<MessageDraft>[] = [];
  for (const { draft, active, updatedAt } of pathEnds(scanned)) {
    const path = pathTo(draft);
    const last = path.at(-1);
    if (draft === null || last === undefined) continue;
    const isFree = last.turnId !== null && !tips.some((tip) => tip.id === last.turnId);
    const id = isFree && last.turnId !== null ? last.turnId : fallbackId(scanned, last);
    const typed = path.findLast((step) => step.typed);
    const label = typed === undefined ? null : await labelOf(scanned, typed);
    tips.push({ node: draft, id, active, updatedAt, counts: countPath(path), label });
  }
  return tips;
}

function countPath(path: readonly MessageDraft[]): MessageCounts {
  const counts = { total: path.length, user: 0, assistant: 0, tool: 0, system: 0, toolCalls: 0 };
  for (const { role, calls } of path) {
    counts[role] += 1;
    counts.toolCalls += calls;
  }
  return counts;
}

async function labelOf(scanned: ScanResult, draft: MessageDraft): Promise<string | null> {
  const [slot] = draft.slots;
  const record = slot === undefined ? null : parseRecord(await fetchSlot(scanned, slot));
  return record === null ? null : toTitle(typedText(record.type, record.payload));
}

interface PathEnd {
  readonly draft: MessageDraft | null;
  readonly updatedAt: string | null;
  readonly active: boolean;
}

/**
 * The end of the main file, then of every path that was left: by a rollback, or by a revert that continued in another
 * file. A message that another path continues from is not an end.
 */
function pathEnds({ files, session }: ScanResult): PathEnd[] {
  const main = files.at(-1)?.index;
  if (main === undefined) return [];
  const left = [
    ...files
      .slice(0, -1)
      .flatMap(({ index }) => (index.own ? [{ leaf: index.head, updatedAt: index.updatedAt }] : [])),
    ...session.left,
  ];
  const passed = new Set(pathTo(main.head));
  const ends: PathEnd[] = [{ draft: main.head, updatedAt: main.updatedAt, active: true }];
  for (const { leaf, updatedAt } of left.sort(byTimeDown)) {
    const path = pathTo(leaf);
    const last = path.at(-1);
    if (last === undefined || passed.has(last)) continue;
    for (const draft of path) passed.add(draft);
    ends.push({ draft: last, updatedAt, active: false });
  }
  return ends;
}

function byTimeDown(a: { updatedAt: string | null }, b: { updatedAt: string | null }): number {
  return (b.updatedAt ?? "") < (a.updatedAt ?? "") ? -1 : 1;
}
