/** The facts of a session: what was asked, changed, committed and tested, what it cost, and where it stopped. Pure. */

import type {
  CommitFact,
  CostFact,
  EndFact,
  FactPlace,
  FileFact,
  Message,
  SessionFacts,
  TestFact,
} from "../../model/index.ts";
import { shorten } from "../../model/index.ts";
import { createTurnStarts, visibleLine } from "../render/index.ts";
import { createNetFold, type NetFold } from "./net-change.ts";
import { createPaths } from "./paths.ts";
import {
  createTurnWork,
  endOf,
  foldWork,
  MAX_WORK_CHARS,
  type TurnWork,
  type WorkItem,
} from "./turn-work.ts";

export interface FactsTurn {
  /** The message that the turn begins with. */
  readonly id: string;
  readonly work: TurnWork;
  readonly costUsd: number | null;
}

export interface FactsOptions {
  /** The folder of the session: paths below it are shown without it. */
  readonly cwd: string | null;
  /** Returns the price of a message, if it is known. */
  readonly costOf?: (message: Message) => number | null;
}

const MAX_FILES = 500;
const MAX_COMMITS = 200;
const MAX_TESTS = 50;
const COMMAND_CHARS = 200;

/** The facts of a whole history. */
export async function sessionFacts(
  messages: AsyncIterable<Message> | Iterable<Message>,
  options: FactsOptions,
): Promise<SessionFacts> {
  const budget = { chars: MAX_WORK_CHARS };
  const turns: { readonly id: string; readonly work: TurnWork; costUsd: number | null }[] = [];
  const beginsTurn = createTurnStarts();
  for await (const message of messages) {
    let turn = turns.at(-1);
    if (beginsTurn(message) || turn === undefined) {
      turn = { id: message.id, work: createTurnWork(turn?.work ?? null), costUsd: null };
      turns.push(turn);
    }
    foldWork(turn.work, message, budget);
    const cost = options.costOf?.(message) ?? null;
    if (cost !== null) turn.costUsd = (turn.costUsd ?? 0) + cost;
  }
  return factsOfTurns(turns, options);
}

/**
 * The facts of turns that were folded one by one.
 *
 * @param from the number of the first turn, if the turns are only a part of a session
 */
export function factsOfTurns(
  turns: readonly FactsTurn[],
  { cwd, from = 1 }: Pick<FactsOptions, "cwd"> & { readonly from?: number },
): SessionFacts {
  return from === 1 ? factsFrom(turns, cwd) : renumbered(factsFrom(turns, cwd), from - 1);
}

function renumbered(facts: SessionFacts, by: number): SessionFacts {
  const moved = <T extends FactPlace>(fact: T): T => ({ ...fact, turn: fact.turn + by });
  const maybe = <T extends FactPlace>(fact: T | null): T | null => (fact === null ? null : moved(fact));
  const { asked, lastAsked, files, commits, tests, cost, end } = facts;
  return {
    ...facts,
    asked: maybe(asked),
    lastAsked: maybe(lastAsked),
    files: files.map(moved),
    commits: commits.map(moved),
    tests: tests.map(moved),
    cost: cost === null ? null : { ...cost, dearest: moved(cost.dearest) },
    end: maybe(end),
  };
}

function factsFrom(turns: readonly FactsTurn[], cwd: string | null): SessionFacts {
  const asked = turns.flatMap(({ work }, at) =>
    work.asked === null || work.asked.text === ""
      ? []
      : [{ ...placeOf(at, work.asked), text: visibleLine(work.asked.text) }],
  );
  const items = turns.flatMap(({ work }, at) => work.items.map((item) => ({ ...item, turn: at + 1 })));
  const { files, undone } = filesOf(items, cwd);
  const commits = items.flatMap((item) => (item.type === "commit" ? [commitFact(item)] : []));
  return {
    turns: turns.length,
    asked: asked[0] ?? null,
    lastAsked: asked.length > 1 ? (asked.at(-1) ?? null) : null,
    files: files.slice(0, MAX_FILES),
    fileCount: files.length,
    added: files.reduce((sum, { added }) => sum + added, 0),
    removed: files.reduce((sum, { removed }) => sum + removed, 0),
    undoneFiles: undone,
    commits: commits.slice(-MAX_COMMITS),
    commitCount: commits.length,
    tests: testsOf(items),
    cost: costFact(turns),
    end: endFact(turns),
  };
}

type PlacedItem = WorkItem & { readonly turn: number };

function placeOf(at: number, { messageId }: { readonly messageId: string }): FactPlace {
  return { turn: at + 1, messageId };
}

interface FileWork extends FactPlace {
  readonly net: NetFold;
  readonly counted: { added: number; removed: number };
  edits: number;
  path: string;
  movedFrom: string | null;
}

function filesOf(
  items: readonly PlacedItem[],
  cwd: string | null,
): { readonly files: readonly FileFact[]; readonly undone: number } {
  const paths = createPaths(cwd);
  const works = new Map<string, FileWork>();
  for (const item of items) {
    if (item.type !== "edit") continue;
    const { edit, isCounted, messageId, turn } = item;
    const key = paths.keyOf(edit.path);
    const from = edit.movedFrom === null ? null : paths.keyOf(edit.movedFrom);
    const known = works.get(from ?? key) ?? works.get(key);
    const work = known ?? { ...newWork(key), turn, messageId };
    if (from !== null && from !== key) {
      works.delete(from);
      work.movedFrom ??= from;
      work.path = key;
    }
    works.set(key, work);
    work.edits += 1;
    if (!isCounted) work.net.apply(edit);
    else for (const { lines } of edit.hunks) countLines(work.counted, lines);
  }
  const files = [...works.values()].map((work) => fileFact(work, paths.shown));
  return {
    files: files.filter((file) => file !== null),
    undone: files.filter((file) => file === null).length,
  };
}

function newWork(path: string): Omit<FileWork, keyof FactPlace> {
  return { net: createNetFold(), counted: { added: 0, removed: 0 }, edits: 0, path, movedFrom: null };
}

function countLines(
  counted: FileWork["counted"],
  lines: readonly { readonly sign: " " | "-" | "+" }[],
): void {
  for (const { sign } of lines) {
    if (sign === "+") counted.added += 1;
    else if (sign === "-") counted.removed += 1;
  }
}

/** `null` if the file did not change. */
function fileFact(work: FileWork, shown: (key: string) => string): FileFact | null {
  const { net, counted, edits, path, movedFrom, turn, messageId } = work;
  const change = net.finish();
  const isCounted = counted.added + counted.removed > 0;
  const isMoved = movedFrom !== null && movedFrom !== path;
  if (change === null && !isCounted && !isMoved) return null;
  return {
    turn,
    messageId,
    edits,
    path: visibleLine(shown(path)),
    status: change?.status ?? "changed",
    added: (change?.added ?? 0) + counted.added,
    removed: (change?.removed ?? 0) + counted.removed,
    known: isCounted ? "part" : (change?.known ?? "all"),
    movedFrom: isMoved ? visibleLine(shown(movedFrom)) : null,
  };
}

function commitFact({ commit, turn, messageId }: PlacedItem & { readonly type: "commit" }): CommitFact {
  const { hash, branch, subject } = commit;
  return {
    turn,
    messageId,
    hash,
    branch: branch === null ? null : visibleLine(branch),
    subject: visibleLine(subject),
  };
}

function testsOf(items: readonly PlacedItem[]): readonly TestFact[] {
  const byCommand = new Map<string, TestFact>();
  const lastEdit = items.findLastIndex(({ type }) => type === "edit");
  for (const [at, item] of items.entries()) {
    if (item.type !== "test") continue;
    const { run, turn, messageId } = item;
    const command = visibleLine(shorten(run.command.trim().replace(/\s+/gu, " "), COMMAND_CHARS));
    const known = byCommand.get(command);
    const isFailed = run.outcome === "failed" ? 1 : 0;
    byCommand.delete(command);
    byCommand.set(command, {
      turn,
      messageId,
      command,
      outcome: run.outcome,
      passed: run.passed,
      failed: run.failed,
      runs: (known?.runs ?? 0) + 1,
      failedRuns: (known?.failedRuns ?? 0) + isFailed,
      changedSince: lastEdit > at,
    });
  }
  return [...byCommand.values()].reverse().slice(0, MAX_TESTS);
}

function costFact(turns: readonly FactsTurn[]): CostFact | null {
  const costs = turns.flatMap(({ id, costUsd }, at) =>
    costUsd === null ? [] : [{ turn: at + 1, messageId: id, usd: costUsd }],
  );
  const [first, ...others] = costs;
  if (first === undefined) return null;
  const dearest = others.reduce((most, one) => (one.usd > most.usd ? one : most), first);
  return { usd: costs.reduce((sum, { usd }) => sum + usd, 0), dearest };
}

function endFact(turns: readonly FactsTurn[]): EndFact | null {
  const last = turns.at(-1);
  if (last === undefined) return null;
  const { state, text, messageId } = endOf(last.work);
  const place = { turn: turns.length, messageId: messageId === "" ? last.id : messageId };
  return { ...place, state: state === "called" ? "calling" : state, text: visibleLine(text) };
}
