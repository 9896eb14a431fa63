/**
 * Imports an agent's own session as a session of Continuo's: its history is stored as events, so that any agent can
 * receive it, and its native reference says that this agent already has all of it. The native session is only read.
 */

import { type Message, present, type Store } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { openNativeSession } from "@continuo/native";
import type { FoundSession } from "@continuo/native/kit";
import type { ReportedSession } from "../catalog/index.ts";
import { folderOf } from "./folder.ts";
import { TALK_LIMITS } from "./limits.ts";
import { type ImportedSession, importMessages } from "./message-import.ts";

export interface NativeImportOptions {
  readonly store: Store;
  readonly places: PlacesAt;
  /** Called at intervals with the number of messages stored so far. */
  readonly onProgress?: (messages: number) => void;
  /** The folder to use if the session does not record one. */
  readonly cwd: string;
}

/** Errors: those of opening the session, and of the store; `not_found` if its folder is gone. */
export async function importNative(
  found: FoundSession,
  { store, places, cwd, onProgress }: NativeImportOptions,
): Promise<ImportedSession> {
  using opened = await openNativeSession(found, { places });
  const { title, agent, sessionId, location, sizeBytes } = opened.details;
  const folder = folderOf(opened.details.cwd ?? cwd, { agent, sessionId, to: agent });
  // A smaller session cannot exceed the limits, and is read once.
  const skipped = sizeBytes <= TALK_LIMITS.takenChars ? 0 : await olderThanLimits(said(opened.history()));
  return await importMessages(
    behind(skipped, said(opened.history())),
    present({
      store,
      agent,
      title,
      cwd: folder,
      ref: { agent, sessionId, location, cwd: folder },
      from: { agent, sessionId, location },
      leftOut: skipped,
      onProgress,
    }),
  );
}

/**
 * Imports the messages that the agent itself reported; Continuo does not read its files. Errors: those of the store.
 */
export async function importReported(
  { agent, sessionId, title }: ReportedSession,
  { history, store, cwd }: NativeImportOptions & { readonly history: readonly Message[] },
): Promise<ImportedSession> {
  const ref = { agent, sessionId, location: null, cwd };
  return await importMessages(said(history), { store, agent, title, cwd, ref, from: { agent, sessionId } });
}

/** Removes messages that an agent wrote for its own model, because other models cannot use them. */
async function* said(history: AsyncIterable<Message> | Iterable<Message>): AsyncGenerator<Message> {
  for await (const message of history) {
    if (message.origin !== "injected" && message.origin !== "notification") yield message;
  }
}

async function* behind(count: number, messages: AsyncIterable<Message>): AsyncGenerator<Message> {
  let at = 0;
  for await (const message of messages) {
    if (at >= count) yield message;
    at += 1;
  }
}

/** Counts the oldest messages that exceed the limits; the remaining ones begin with a message of a person. */
export async function olderThanLimits(
  messages: AsyncIterable<Message>,
  { takenMessages, takenChars }: { takenMessages: number; takenChars: number } = TALK_LIMITS,
): Promise<number> {
  const sizes: number[] = [];
  const asked: number[] = [];
  let chars = 0;
  for await (const { role, content } of messages) {
    if (role === "user") asked.push(sizes.length);
    const size = JSON.stringify(content).length;
    sizes.push(size);
    chars += size;
  }
  let first = Math.max(0, sizes.length - takenMessages);
  for (let at = 0; at < first; at += 1) chars -= sizes[at] ?? 0;
  for (; chars > takenChars && first < sizes.length - 1; first += 1) chars -= sizes[first] ?? 0;
  return first === 0 ? 0 : (asked.find((at) => at >= first) ?? first);
}
