/**
 * Follows a session of any agent, or one of Continuo's own, while it grows, and yields each message once.
 *
 * - A grown file is not read again: its saved scan is continued. A file that was rewritten is read as a whole.
 * - Content that was yielded before is recognized by the message and the content of its blocks, not by a place in the
 *   file, so that nothing is yielded twice after a rewrite, a compaction, a truncation or a change of the branch.
 * - Only the newest turns of a session in a database are read again.
 * - Files are checked at intervals, because not every file system reports changes.
 */

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Block,
  ContinuoError,
  isContinuoError,
  isFailure,
  type Message,
  present,
} from "@continuo/core/model";
import { messageKind } from "@continuo/core/transcript";
import { type PlacesAt, statFile } from "@continuo/files";
import { lookUpSession } from "@continuo/native";
import { stampOf } from "@continuo/native/index-file";
import type { FoundSession, SavedScan } from "@continuo/native/kit";
import { CATALOG_LIMITS } from "./limits.ts";
import type { LocatedSession, LookUpHit } from "./look-up.ts";
import { readTranscript } from "./open-session.ts";
import type { OwnRow } from "./rows.ts";
import { openOwnAgain } from "./store.ts";

export interface FollowItem {
  /** The message with only its new content: if a text became longer, only the added part. */
  readonly message: Message;
  /** `more`: an earlier update began the message. */
  readonly update: "new" | "more";
}

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** The position to begin at; the newest turn by default. With `ShownMessages`, all that they do not contain. */
  readonly from?: "newest turn" | "start" | ShownMessages;
  /**
   * The least number of milliseconds between two checks; 250 by default. After a long check, the pause is as long as
   * the check was.
   */
  readonly pollMs?: number;
  /** Called before each check of the files of a native session; the check waits for it. */
  readonly ready?: () => Promise<void>;
}

/** Ends when the signal aborts. Errors: those of opening the session; `not_found` when it is gone. */
export async function* follow(
  located: LookUpHit,
  places: PlacesAt,
  options: FollowOptions = {},
): AsyncGenerator<FollowItem, void, void> {
  const { from = "newest turn" } = options;
  const shown = typeof from === "string" ? createShownMessages() : from;
  const news = createNewMessages(shown, from === "newest turn");
  try {
    if (located.kind === "native") yield* followNative(located.native, news, options);
    else yield* followOwn(located.row, news, { ...options, places });
  } catch (error) {
    if (options.signal?.aborted !== true) throw error;
  }
}

async function* followNative(
  { reader, found: first, places }: LocatedSession,
  news: NewMessages,
  { signal, from, pollMs = CATALOG_LIMITS.followMs, ready }: FollowOptions,
): AsyncGenerator<FollowItem, void, void> {
  let found: FoundSession | null = first;
  // The caller read the session after it had been found.
  const isRead = typeof from === "object" && isQuiet(first);
  let seen = { stamp: isRead ? stampOf(first.files) : "", inode: 0 };
  let saved: SavedScan | null = null;
  let window: WindowOptions = {};
  let missed = 0;
  for (let looks = 1; ; looks++) {
    await ready?.();
    if (signal?.aborted === true) return;
    const began = performance.now();
    const stamp: string = found === null ? "" : stampNow(found);
    const isDue = looks % CATALOG_LIMITS.followLooks === 0;
    if (isDue || stamp !== seen.stamp) found = await findAgain(found ?? first, places);
    missed = found === null ? missed + 1 : 0;
    if (missed > CATALOG_LIMITS.followMissed) throw gone(first);
    const now = found === null ? "" : stampNow(found);
    if (found !== null && now !== seen.stamp) {
      const inode = found.files.at(-1)?.inode ?? 0;
      const known: SavedScan | null = inode === seen.inode ? saved : null;
      try {
        const given = present({ save: true, continue: known ?? undefined, signal } as const);
        using session = await reader.open(found, places, { ...given, ...window });
        const isContinued = session.continued && known !== null;
        const read = await news.read(session.history(isContinued ? { after: known.position } : {}));
        if (session.partial && !read.beginsKnown) {
          window = {};
          continue;
        }
        if (isOnlyGrown(found)) {
          yield* read.take();
          saved = session.saved;
          window = saved === null ? { newestBytes: CATALOG_LIMITS.followWindowBytes } : {};
          // A change within the same tick of the clock does not change the stamp, so the session is read again.
          seen = { stamp: isQuiet(found) ? now : "", inode };
        }
      } catch (error) {
        // The session was moved between two checks, or a program is rewriting it.
        if (!isContinuoError(error, "not_found") && !isContinuoError(error, "unreadable")) throw error;
        found = null;
      }
    }
    // A large session that is read as a whole must not keep the machine busy.
    await sleep(
      Math.max(pollMs, performance.now() - began),
      undefined,
      signal === undefined ? {} : { signal },
    );
  }
}

/** The part that is read of a session whose scan cannot be continued. */
interface WindowOptions {
  readonly newestBytes?: number;
}

function stampNow({ files }: FoundSession): string {
  return stampOf(files.map(({ path }) => statFile(path) ?? { path, ...MISSING_FILE }));
}

const MISSING_FILE = { sizeBytes: -1, mtimeMs: 0, ctimeMs: 0, inode: 0 };

/** Returns false if a file was rewritten while it was read: the result may be a mix of the old and the new file. */
function isOnlyGrown({ files }: FoundSession): boolean {
  return files.every(({ path, inode, sizeBytes }) => {
    const now = statFile(path);
    return now !== null && now.inode === inode && now.sizeBytes >= sizeBytes;
  });
}

function isQuiet({ files }: FoundSession): boolean {
  const changedMs = Math.max(...files.map(({ path }) => statFile(path)?.mtimeMs ?? 0));
  return Date.now() - changedMs > CATALOG_LIMITS.followTickMs;
}

/** Finds the session again: its agent may have begun another file or archived it. Returns `null` if it is not found. */
async function findAgain(
  { agent, sessionId, location }: FoundSession,
  places: LocatedSession["places"],
): Promise<FoundSession | null> {
  try {
    return (await lookUpSession({ agent, sessionId, location }, { places })).found;
  } catch (error) {
    if (isFailure(error)) return null;
    throw error;
  }
}

function gone({ agent, sessionId }: FoundSession): ContinuoError {
  return new ContinuoError("not_found", `the session ${agent}:${sessionId} is gone`, {
    hint: "Run `continuo session trash` to see whether it was deleted.",
  });
}

async function* followOwn(
  { sessionId }: OwnRow,
  news: NewMessages,
  { signal, places, pollMs = CATALOG_LIMITS.followMs }: FollowOptions & { readonly places: PlacesAt },
): AsyncGenerator<FollowItem, void, void> {
  await using own = await openOwnAgain(places);
  const { updateFromStore } = await import("@continuo/core/transcript/builder");
  let transcript = await readTranscript(own, sessionId);
  for (let latest = -1; ; ) {
    const now = await own.store.latestSequence(sessionId);
    if (now !== latest) {
      transcript = await updateFromStore(own.store, transcript);
      latest = now;
      yield* (await news.read(each(transcript.messages))).take();
    }
    await sleep(pollMs, undefined, signal === undefined ? {} : { signal });
  }
}

async function* each(messages: readonly Message[]): AsyncGenerator<Message, void, void> {
  yield* messages;
}

interface NewMessages {
  /** Finds the messages that are new. They count as yielded when `take` is called. */
  read(messages: AsyncIterable<Message>): Promise<ReadMessages>;
}

interface ReadMessages {
  /** True if the first message was yielded before. */
  readonly beginsKnown: boolean;
  take(): readonly FollowItem[];
}

/** A text block that was yielded. Its length shows whether a longer text continues it. */
interface YieldedBlock {
  readonly hash: string;
  readonly textLength: number | null;
}

/** The messages that a caller has shown: a few bytes of each block, by the ids of the messages. */
export type ShownMessages = Map<string, readonly YieldedBlock[]>;

export const createShownMessages = (): ShownMessages => new Map();

/** Notes that the message was shown. */
export function noteShown(shown: ShownMessages, { id, content }: Message): void {
  const blocks = [...(shown.get(id) ?? [])];
  for (const block of content) newPart(block, blocks);
  shown.set(id, blocks);
}

function createNewMessages(given: ShownMessages, isOnlyNewestTurn: boolean): NewMessages {
  let isFirst = isOnlyNewestTurn;
  return {
    async read(messages) {
      const read = new Map<string, YieldedBlock[]>();
      let news: FollowItem[] = [];
      let beginsKnown: boolean | undefined;
      for await (const message of messages) {
        beginsKnown ??= given.has(message.id);
        const before = read.get(message.id) ?? given.get(message.id);
        const known = [...(before ?? [])];
        const content = message.content.flatMap((block) => newPart(block, known) ?? []);
        read.set(message.id, known);
        if (isFirst && messageKind(message) === "person") news = [];
        if (content.length === 0 && before !== undefined) continue;
        news.push({ message: { ...message, content }, update: before === undefined ? "new" : "more" });
      }
      return {
        beginsKnown: beginsKnown ?? false,
        take() {
          isFirst = false;
          for (const [id, blocks] of read) given.set(id, blocks);
          return news;
        },
      };
    },
  };
}

/** Returns the part of the block that was not yielded yet; `null` if the whole block was yielded. */
function newPart(block: Block, given: YieldedBlock[]): Block | null {
  const hash = hashOf(block.type, "text" in block ? (block.text ?? "") : JSON.stringify(block));
  if (given.some((one) => one.hash === hash)) return null;
  if (block.type !== "text" && block.type !== "thinking") {
    given.push({ hash, textLength: null });
    return block;
  }
  const { text, type } = block;
  const begun = given.findIndex(
    (one) =>
      one.textLength !== null &&
      one.textLength > 0 &&
      hashOf(type, text.slice(0, one.textLength)) === one.hash,
  );
  const length = given[begun]?.textLength ?? 0;
  given.splice(begun === -1 ? given.length : begun, begun === -1 ? 0 : 1, { hash, textLength: text.length });
  return { ...block, text: text.slice(length) };
}

function hashOf(type: string, text: string): string {
  return createHash("sha1").update(`${type} ${text}`).digest("base64url");
}
