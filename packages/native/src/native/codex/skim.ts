/** The row of a session, from the heads of its files and the end of the newest. */

import { isContinuoError, isFailure, present, type SessionInfo } from "@continuo/core/model";
import { type FoundFile, parseJson } from "@continuo/files";
import { isCompressed, linesBackwards, openBytes, openLines } from "@continuo/files/records";
import {
  type FoundSession,
  knownUpdatedAt,
  NO_MEMO,
  rememberedUpdatedAt,
  type SkimMemo,
  type SkimOptions,
  toTitle,
} from "../kit/index.ts";
import { readCompressedEnds } from "./compressed-rollout.ts";
import { mtimeOf, readHeaderInfo } from "./header.ts";
import { isPast } from "./index-fold.ts";
import { knownHead, type Lineage, type LineageFile, readHead, readLineage } from "./lineage.ts";
import { type HistoryBase, hasLineTime, parseRecord } from "./records.ts";
import { typedText } from "./text-authors.ts";

/** The bytes in which `ends` looks for the first typed text; instructions and environment come before it. */
const HEAD_BYTES: number = 1024 * 1024;

export async function skim(found: FoundSession, options: SkimOptions): Promise<SessionInfo> {
  try {
    const lineage = await readLineage(found, options.memo);
    const { forkedFrom, givenTitle, ...info } = await readHeaderInfo(found, lineage, options);
    return {
      ...info,
      title: givenTitle ?? (await findFirstTyped(lineage, options)),
      updatedAt: (await readLastTime(found, options)) ?? mtimeOf(found),
      ...present({ forkedFrom: forkedFrom ?? undefined }),
    };
  } catch (error) {
    if (!isContinuoError(error, "unreadable") && !isContinuoError(error, "not_found")) throw error;
    return toUnreadable(found, error.message);
  }
}

/** The row of a session that begins in a file of another one also depends on that file. */
export async function updatedAt(found: FoundSession, options: SkimOptions): Promise<string | null> {
  if (await isOneFile(found, options)) return await rememberedUpdatedAt(found, options, skim);
  return (await skim(found, { ...options, part: "ends" })).updatedAt;
}

export function knownTime(found: FoundSession, memo: SkimMemo): string | null | undefined {
  const [file] = found.files;
  const head = file === undefined ? undefined : knownHead(file, memo);
  return head === undefined || (head.meta?.base ?? null) !== null ? undefined : knownUpdatedAt(found, memo);
}

async function isOneFile({ files }: FoundSession, { memo }: SkimOptions): Promise<boolean> {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) return false;
  try {
    const { meta } = await readHead(file, memo);
    return (meta?.base ?? null) === null;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return false;
  }
}

/** The first text that was typed, in the order in which the files of a lineage are read. */
export async function findFirstTyped(lineage: Lineage, options: SkimOptions): Promise<string | null> {
  for (const file of lineage.files) {
    const title = await findTypedIn(file, lineage, options);
    if (title !== null) return title;
  }
  return null;
}

async function findTypedIn(
  file: LineageFile,
  lineage: Lineage,
  options: SkimOptions,
): Promise<string | null> {
  const cuts = lineage.files.flatMap(({ base }) => (base?.file === file ? [base.cut] : []));
  const search = (): Promise<string | null> => searchTyped(file, cuts, options);
  // The cuts are recorded in other files, so this answer is not stored for the file.
  if (cuts.length > 0) return await search();
  if (file.typed !== null) return file.typed;
  return await (options.memo ?? NO_MEMO).remember(file.stat, { what: "typed", part: options.part }, search);
}

async function searchTyped(
  file: LineageFile,
  cuts: readonly HistoryBase[],
  options: SkimOptions,
): Promise<string | null> {
  if (isCompressed(file.path) && cuts.length === 0) {
    const { typed } = await readCompressedEnds(file.stat, options.signal);
    return typed === null || (options.part === "ends" && typed.offset > HEAD_BYTES) ? null : typed.title;
  }
  using lines = openLines(file.path, Number.POSITIVE_INFINITY);
  for await (const records of lines.scan(present({ signal: options.signal }))) {
    for (const { value, offset } of records) {
      if (options.part === "ends" && offset > HEAD_BYTES) return null;
      const record = parseRecord(value);
      if (record === null) continue;
      if (!file.own && cuts.every((cut) => isPast(cut, record, offset))) return null;
      const title = hasLineTime(value) ? toTitle(typedText(record.type, record.payload)) : null;
      if (title !== null) return title;
    }
  }
  return null;
}

/** The time stamp of the last record that has one, in the file that is written to now. */
async function readLastTime(found: FoundSession, options: SkimOptions): Promise<string | null> {
  const main = found.files.at(-1);
  if (main === undefined) return null;
  return await (options.memo ?? NO_MEMO).remember(main, { what: "last time" }, () =>
    isCompressed(main.path)
      ? readCompressedEnds(main, options.signal).then(({ lastTime }) => lastTime)
      : readLastTimeBackwards(main, options),
  );
}

async function readLastTimeBackwards(main: FoundFile, options: SkimOptions): Promise<string | null> {
  const bytes = openBytes(main.path);
  try {
    for await (const { text } of linesBackwards(bytes, main.sizeBytes, present({ signal: options.signal }))) {
      const time = parseRecord(parseOrNothing(text))?.timestamp;
      if (time) return time;
    }
    return null;
  } finally {
    bytes.close();
  }
}

function parseOrNothing(text: string): unknown {
  try {
    return parseJson(text.replace(/^\ufeff/u, ""));
  } catch {
    return undefined;
  }
}

function toUnreadable(found: FoundSession, message: string): SessionInfo {
  const known = found.problems.some(({ code }) => code === "unreadable");
  return {
    agent: "codex",
    sessionId: found.sessionId,
    location: found.location,
    cwd: null,
    title: null,
    gitBranch: null,
    createdAt: null,
    updatedAt: mtimeOf(found),
    sizeBytes: found.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    archived: found.archived,
    live: found.live,
    problems: known ? found.problems : [...found.problems, { code: "unreadable", line: null, message }],
  };
}
