/** Opens a session: one scan folds the index and the row; histories then fetch entries by their place. */

import { existsSync } from "node:fs";
import {
  ContinuoError,
  type Entry,
  type Leaf,
  type Problem,
  type SessionDetails,
} from "../../model/index.ts";
import {
  type FoundFile,
  type FoundSession,
  isJson,
  type OpenedSession,
  type OpenOptions,
  pairProblems,
  pathTo,
  toSignal,
  toTitle,
} from "../reader/index.ts";
import { type LineFile, openLines } from "../records/index.ts";
import { idOf, linkRecords } from "./branches.ts";
import { readHistory, type Scanned } from "./history.ts";
import { createIndex, FLAG, foldIndex, has, KIND, placeOf } from "./index-fold.ts";
import { sessionIdOf } from "./places.ts";
import { filledField, typedText } from "./records.ts";
import { createFirsts, createLasts, type Firsts, foldFirsts, foldLasts, type Lasts } from "./row-fold.ts";
import { headProblems, rowOf, skimFirsts } from "./skim.ts";

interface Read extends Scanned {
  readonly firsts: Firsts;
  readonly lasts: Lasts;
}

/** Errors: `not_found`, `unreadable`. */
export async function openSession(found: FoundSession, options: OpenOptions): Promise<OpenedSession> {
  const file = found.files.at(-1);
  if (file === undefined) {
    throw new ContinuoError("unreadable", found.problems[0]?.message ?? `cannot read ${found.location}`);
  }
  const lines = openLines(file.path, file.sizeBytes, options.keep);
  try {
    return await toOpened(found, await readFile(lines, file, options));
  } catch (error) {
    lines.close();
    throw error;
  }
}

async function readFile(lines: LineFile, file: FoundFile, options: OpenOptions): Promise<Read> {
  for (let bytes = options.newestBytes ?? file.sizeBytes; bytes < file.sizeBytes; bytes *= 4) {
    const firsts = createFirsts();
    await skimFirsts(file, firsts, { part: "ends", ...toSignal(options.signal) });
    // Entries of version 1 are known by their line, which the end of a file does not tell.
    if (firsts.header === null || firsts.header.version < 2) break;
    const read = await readFrom(lines, { from: file.sizeBytes - bytes, firsts, signal: options.signal });
    // An end without an entry, because a line is longer than it, tells nothing.
    if (read.tree.leaf !== -1) return read;
  }
  return await readFrom(lines, { from: 0, firsts: createFirsts(), signal: options.signal });
}

interface Start {
  readonly from: number;
  /** Known already where the scan does not begin at the start of the file. */
  readonly firsts: Firsts;
  readonly signal: AbortSignal | undefined;
}

async function readFrom(lines: LineFile, { from, firsts, signal }: Start): Promise<Read> {
  const partial = from > 0;
  const index = createIndex();
  const lasts = createLasts();
  if (partial) index.header = firsts.header;
  for await (const records of lines.scan({ part: "whole", from, ...toSignal(signal) })) {
    for (const record of records) {
      foldIndex(index, record);
      if (!isJson(record.value)) continue;
      if (!partial) foldFirsts(firsts, record.value);
      foldLasts(lasts, record.value);
    }
  }
  return { lines, index, firsts, lasts, tree: linkRecords(index, { partial }), partial };
}

async function toOpened(found: FoundSession, read: Read): Promise<OpenedSession> {
  const problems = problemsOf(found, read);
  const leaves: Leaf[] = [];
  for (const tip of read.tree.tips) leaves.push(await toLeaf(read, tip));
  return {
    details: toDetails(found, read, problems),
    leaves,
    problems,
    partial: read.partial,
    entries: (signal) => entriesOf(read, signal),
    history: (options = {}) => readHistory(read, options),
    close: read.lines.close,
    [Symbol.dispose]: read.lines.close,
  };
}

/** The lines of a part of a file have no numbers that anybody could look up. */
function problemsOf(found: FoundSession, read: Read): Problem[] {
  const { index, tree, firsts, partial } = read;
  const whole = partial ? [] : [...pairProblems(index.pairs), ...parentProblems(read)];
  for (const problem of [...tree.problems, ...whole, ...read.lines.problems()]) index.problems.add(problem);
  const all = index.problems.all();
  return [
    ...found.problems,
    ...headProblems(found, firsts),
    ...(partial ? all.map((problem) => ({ ...problem, line: null })) : all),
  ];
}

/** The entries of a fork are copies: the file that it came from is missed only where something is lost here. */
function parentProblems({ firsts, tree }: Read): Problem[] {
  const parent = firsts.header?.parentSession ?? null;
  if (parent === null || !tree.lost || existsSync(parent)) return [];
  const message = `entries are missing that ${parent} may have held, and that file is gone`;
  return [{ code: "missing_parent_session", line: null, message }];
}

function toDetails(found: FoundSession, read: Read, problems: readonly Problem[]): SessionDetails {
  const { index, tree, firsts, lasts } = read;
  const active = tree.tips[0] === undefined ? [] : pathTo(tree.up, tree.tips[0]);
  const counts = { total: 0, user: 0, assistant: 0, tool: 0, system: 0 };
  let toolCalls = 0;
  for (const record of active) {
    const role = ROLES[index.kind[record] ?? KIND.silent];
    toolCalls += index.calls[record] ?? 0;
    if (role === undefined) continue;
    counts.total += 1;
    counts[role] += 1;
  }
  const parent = firsts.header?.parentSession ?? null;
  return {
    ...rowOf(found, firsts, lasts, []),
    problems,
    messages: counts,
    toolCalls,
    branches: tree.tips.length,
    records: index.count,
    unknownRecords: Object.fromEntries(index.unknown),
    models: [...index.models],
    usage: index.usage,
    // pi writes the version of the format, not its own.
    agentVersions: [],
    subagents: [],
    forkedFrom: parent === null ? null : (sessionIdOf(parent) ?? parent),
  };
}

/** By kind; others are no messages. */
const ROLES: Readonly<Record<number, "user" | "assistant" | "tool" | "system">> = {
  [KIND.user]: "user",
  [KIND.assistant]: "assistant",
  [KIND.tool]: "tool",
  [KIND.system]: "system",
};

async function toLeaf({ index, tree, lines }: Read, tip: number): Promise<Leaf> {
  const path = pathTo(tree.up, tip);
  const typed = path.findLast((record) => has(index, record, FLAG.typed));
  const value = typed === undefined ? null : await lines.fetch(placeOf(index, typed));
  const timed = path.findLast((record) => !Number.isNaN(index.time[record]));
  return {
    id: idOf(index, tip),
    active: tip === tree.leaf,
    updatedAt: timed === undefined ? null : new Date(index.time[timed] ?? 0).toISOString(),
    messages: path.reduce((sum, record) => sum + ((index.kind[record] ?? 0) > KIND.silent ? 1 : 0), 0),
    label: isJson(value) ? toTitle(typedText(value)) : null,
  };
}

async function* entriesOf(
  { index, tree, lines, partial }: Read,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, void, void> {
  const active = new Uint8Array(index.count);
  if (tree.leaf !== -1) for (const record of pathTo(tree.up, tree.leaf)) active[record] = 1;
  for (let record = 0; record < index.count; record++) {
    signal?.throwIfAborted();
    const value = await lines.fetch(placeOf(index, record));
    const fields = isJson(value) ? value : {};
    yield {
      line: partial ? null : (index.line[record] ?? 0),
      id: filledField(fields, "id"),
      parentId: filledField(fields, "parentId"),
      type: filledField(fields, "type") ?? "",
      active: active[record] === 1,
      value,
    };
  }
}
