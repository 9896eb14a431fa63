/**
 * Forks a session of Gemini CLI, which has no forks (0.61.0): a new file receives the source's records under another
 * id. Content of a record after the cut is removed in the way in which Gemini CLI itself rewinds.
 */

import type { Message } from "@continuo/core/model";
import { canonicalFolder, exactOf, isJson, type Json } from "@continuo/files";
import type { Fork, ForkSource, NativeForker } from "../forking/index.ts";

import type { NewSession } from "../writing/index.ts";
import { hashOf } from "./places.ts";
import { isContextMessage, kindOf, listField } from "./records.ts";

export const geminiForker: NativeForker = {
  agent: "gemini",
  titleOf: (title) => `${title} (fork)`,
  async fork(source, session): Promise<Fork> {
    const count = withWholeRecords(source);
    const kept = source.history.slice(0, count);
    const last = source.part === "whole" ? Number.POSITIVE_INFINITY : Math.max(...kept.flatMap(linesOf));
    const isOld = !kept.some(({ origin }) => origin === "injected");
    const records: Json[] = [];
    for await (const { file, line, value } of source.opened.entries()) {
      if (file !== undefined || !isJson(value)) continue;
      if ((line ?? 0) <= last) records.push(...recordsOf(exactOf(value), session));
    }
    const own = isOld ? records.flatMap(withoutContext) : records;
    const next = source.history[count];
    const isInside = next !== undefined && linesOf(next).some((line) => line <= last);
    const rewind = isInside ? [{ $rewindTo: nativeId(next) }] : [];
    return { records: [...own, ...rewind, changedNow(session)], count };
  },
};

/**
 * Moves the cut to the end of a record. Results are separate messages in the history, but are stored in the record of
 * their call. Messages that a compaction removed are known by its summary, which follows the context of the start.
 */
function withWholeRecords({ history, count }: ForkSource): number {
  let end = count;
  if (history[end - 1]?.origin === "injected" && history[end]?.origin === "summary") end += 1;
  while (isResultOf(history[end], history[end - 1])) end += 1;
  return end;
}

function isResultOf(message: Message | undefined, before: Message | undefined): boolean {
  if (message === undefined || before === undefined || message.role !== "tool") return false;
  return nativeId(message) === nativeId(before);
}

/** Removes the number of a further message of a record (`#2`), and the line of an older version (`@7`). */
function nativeId({ id }: Message): string {
  return id.replace(/(?:#\d+)?(?:@\d+)?$/u, "");
}

function linesOf({ metadata }: Message): number[] {
  return (metadata.records ?? []).map(({ line }) => line ?? 0);
}

/** Writes the new session's id into records that name a session. Messages inside the first record become records. */
function recordsOf(value: Json, session: NewSession): Json[] {
  const kind = kindOf(value);
  const { sessionId } = session;
  if (isJson(value.$set) && value.$set.sessionId !== undefined) {
    return [{ ...value, $set: { ...value.$set, sessionId } }];
  }
  if (kind !== "metadata") return [value];
  const projectHash = value.projectHash || hashOf(canonicalFolder(session.cwd));
  const own = { ...value, sessionId, projectHash, kind: "main" };
  const { messages: _messages, ...alone } = own as Json & { messages?: unknown };
  const list = listField(value, "messages").filter(isJson);
  return list.length === 0 ? [own] : [alone, ...list];
}

/** Removes the context of the start: the reader does not show it before a compaction, and each start adds its own. */
function withoutContext(record: Json): Json[] {
  if (isContextMessage(record)) return [];
  const list = isJson(record.$set) ? record.$set.messages : undefined;
  if (!isJson(record.$set) || !Array.isArray(list)) return [record];
  const messages = list.filter((message) => !isJson(message) || !isContextMessage(message));
  return [{ ...record, $set: { ...record.$set, messages } }];
}

function changedNow({ createdMs, title }: NewSession): Json {
  const lastUpdated = new Date(createdMs).toISOString();
  return { $set: { lastUpdated, ...(title === null ? {} : { summary: title }) } };
}
