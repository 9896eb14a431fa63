/**
 * The texts of native sessions for a search without an index: it finds sessions that may contain the words, and reads
 * their turns.
 */

import { readFileSync } from "node:fs";
import type { Message } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { formatOf } from "@continuo/native";
import { type OpenText, type Turn, turnsOf } from "@continuo/native/index-file";
import {
  type AgentReader,
  type FoundSession,
  type LineMessage,
  PIECE_BYTES,
  type TestBytes,
  testFiles,
} from "@continuo/native/kit";
import { stampOfFile } from "./dependencies.ts";
import { excludes } from "./exclude-patterns.ts";
import { type IndexedSession, parseStored, toIndexed } from "./indexed-session.ts";
import { openText, subagentsInside } from "./texts-native.ts";

export interface TextScanOptions {
  readonly places: Places;
  /** The same as in `TextsOptions`. */
  readonly exclude: readonly string[];
  readonly signal?: AbortSignal;
}

export interface ScannedText {
  readonly session: IndexedSession;
  /** The turns in order; each is read when it is requested. */
  readonly turns: AsyncIterable<Turn>;
}

/**
 * Returns, in order, the sessions whose text, or the text of a sub-agent in their files, may pass a test. Blocks while
 * it reads.
 */
export async function filterTexts(
  sessions: readonly FoundSession[],
  begin: () => TestBytes,
): Promise<readonly FoundSession[]> {
  const wanted = new Set<FoundSession>();
  for (const [agent, found] of Map.groupBy(sessions, (one) => one.agent)) {
    const format = await formatOf(agent);
    for (const one of await filterOf(format, found, () => withOwnBytes(begin(), format))) wanted.add(one);
  }
  return sessions.filter((one) => wanted.has(one));
}

/**
 * Returns the words that the reader itself may add to those of the file, as JSON strings like those of a record, so
 * that they are searched too.
 */
function ownBytesOf({ ownWords = [] }: Pick<AgentReader, "ownWords">): Buffer {
  return Buffer.from(ownWords.length === 0 ? "" : JSON.stringify(ownWords));
}

async function filterOf(
  { filter }: AgentReader,
  found: readonly FoundSession[],
  begin: () => TestBytes,
): Promise<readonly FoundSession[]> {
  return filter === undefined
    ? found.filter(({ files }) => testFiles(files, begin()))
    : await filter(found, begin);
}

function withOwnBytes(test: TestBytes, format: AgentReader): TestBytes {
  const own = ownBytesOf(format);
  return own.length === 0 ? test : (bytes, rest) => test(Buffer.concat([bytes, own]), rest);
}

/** The lines of a session, each of which can be read without the others. */
export interface SessionLines {
  readonly bytes: Buffer;
  /** The words of `AgentReader.ownWords`. */
  readonly ownBytes: Buffer;
  /** Returns the messages of `LineReader.messagesOf`. */
  messagesOf(value: unknown): readonly LineMessage[] | null;
}

/** A larger file is read only by the agent's reader. */
const MAX_BYTES: number = 64 * 1024 * 1024;

/** True if `useLines` can look at the lines of the session. */
export async function hasLines({ agent, files: [file] }: FoundSession): Promise<boolean> {
  const { lines } = await formatOf(agent);
  return lines !== undefined && file !== undefined && file.sizeBytes <= MAX_BYTES;
}

export interface LinesTest<T> {
  /** The test of `filterTexts`. */
  begin(): TestBytes;
  /** The bytes of the lines are valid until it returns. */
  use(lines: SessionLines): T;
}

/**
 * Uses the lines of a session that passes the test. A file of one piece is read once for both. Returns `excluded` for a
 * session that does not pass, and `whole` for one whose lines cannot be read separately. Blocks while it reads.
 */
export async function useLines<T>(
  found: FoundSession,
  { begin, use }: LinesTest<T>,
): Promise<T | "excluded" | "whole"> {
  const format = await formatOf(found.agent);
  const { lines } = format;
  const [file] = found.files;
  if (lines === undefined || file === undefined) return "whole";
  const useBytes = (bytes: Buffer): T | "whole" =>
    lines.isPlain(found, bytes)
      ? use({ bytes, ownBytes: ownBytesOf(format), messagesOf: (value) => lines.messagesOf(value, bytes) })
      : "whole";
  // A longer file comes in several pieces, and is read again.
  const isOnePiece = found.files.length === 1 && file.sizeBytes < PIECE_BYTES;
  const used: (T | "whole")[] = [];
  const beginToUse = (): TestBytes => {
    const test = withOwnBytes(begin(), format);
    let isFirst = true;
    return (bytes, rest) => {
      const isPassed = test(bytes, rest);
      if (isPassed && isOnePiece && isFirst && rest === "last") used.push(useBytes(bytes));
      isFirst = false;
      return isPassed;
    };
  };
  const isPassed = (await filterOf(format, [found], beginToUse)).length > 0;
  if (!isPassed) return "excluded";
  const [ofPiece] = used;
  if (ofPiece !== undefined) return ofPiece;
  // The filter of the agent kept the session without its bytes, or they cannot be read.
  if (isOnePiece) return "whole";
  const bytes = bytesOf(file.path);
  return bytes === null ? "whole" : useBytes(bytes);
}

/** `null` if the file cannot be read: the error is reported when the reader opens the session. */
function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

/** Yields the session, then the sub-agents in its file. Errors: those of opening the session. */
export async function* scanText(
  found: FoundSession,
  options: TextScanOptions,
): AsyncGenerator<ScannedText, void, void> {
  const { places, exclude, signal } = options;
  const isExcluded = excludes(exclude, places.home);
  const opening = { signal, before: null, besideNow: stampOfFile, keep: false };
  const open = async (one: FoundSession): Promise<OpenText> =>
    await openText(one, { places, isExcluded, nowMs: Date.now() }, opening);
  using text = await open(found);
  yield toScanned(text);
  for (const subagent of subagentsInside(found, parseStored(text.source))) {
    using inside = await open(subagent);
    yield toScanned(inside);
  }
}

export function toScanned(text: OpenText): ScannedText {
  return { session: toIndexed(text.source), turns: turnsIn(text) };
}

async function* turnsIn({ steps }: OpenText): AsyncGenerator<Turn, void, void> {
  yield* turnsOf(messagesIn(steps));
}

async function* messagesIn(steps: OpenText["steps"]): AsyncGenerator<Message, void, void> {
  for await (const { messages } of steps.read(0, [])) yield* messages;
}
