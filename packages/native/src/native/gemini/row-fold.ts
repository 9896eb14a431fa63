/**
 * The row of a session: what the list shows, folded from its records.
 *
 * | field | rule |
 * |---|---|
 * | createdAt | the first time in file order: `startTime` of metadata, `timestamp` of a message |
 * | updatedAt | the last time in file order: `lastUpdated` of metadata, `timestamp` of a message |
 * | title | last `summary` of the metadata, else the first thing the person typed (also if it was rewound: as Gemini CLI does) |
 * | cwd | owner of the project folder (`places.ts`), else the first of `directories` in the first metadata |
 *
 * The first facts and the last facts are folded separately, so that a skim can look for the first facts from the start of
 * the file, and for the last facts from its end. A full read folds both from every record.
 */

import { isJson, type Json, toTime } from "@continuo/files";
import { toTitle } from "../kit/index.ts";
import { isContextMessage, isResumable, kindOf, listIn, metadataIn, typedText } from "./records.ts";

export interface HeadFacts {
  createdAt: string | null;
  typed: string | null;
  /** `undefined` until the first metadata record. */
  directory: string | null | undefined;
  /** True if anything makes Gemini CLI list the session. */
  conversation: boolean;
  /** True if a record has the context that Gemini CLI or a hook adds at a start. */
  started: boolean;
}

export interface TailFacts {
  updatedAt: string | null;
  /** Only from the metadata: Gemini CLI counts a session's age from it. */
  lastUpdated: string | null;
  summary: string | null;
}

export function createFirsts(): HeadFacts {
  return { createdAt: null, typed: null, directory: undefined, conversation: false, started: false };
}

export function createLasts(): TailFacts {
  return { updatedAt: null, lastUpdated: null, summary: null };
}

/** Fold in file order. */
export function foldFirsts(firsts: HeadFacts, record: Json): void {
  const kind = kindOf(record);
  const metadata = metadataIn(record, kind);
  firsts.createdAt ??= timeIn(metadata ?? record, ["startTime", "timestamp", "lastUpdated"]);
  if (kind === "metadata" && firsts.directory === undefined) firsts.directory = firstDirectory(record);
  if (firsts.typed !== null && firsts.conversation) return;
  for (const message of kind === "message" ? [record] : (listIn(record, kind) ?? [])) {
    if (!isJson(message)) continue;
    firsts.conversation ||= isResumable(message);
    firsts.started ||= isContextMessage(message);
    firsts.typed ??= toTitle(typedText(message));
    firsts.createdAt ??= toTime(message.timestamp);
  }
}

/** Fold in file order. */
export function foldLasts(lasts: TailFacts, record: Json): void {
  const told = lastsOf(record);
  lasts.updatedAt = told.updatedAt ?? lasts.updatedAt;
  lasts.lastUpdated = told.lastUpdated ?? lasts.lastUpdated;
  lasts.summary = told.summary ?? lasts.summary;
}

/** Fold from the last record to the first. */
export function foldLastsBackwards(lasts: TailFacts, record: Json): void {
  const told = lastsOf(record);
  lasts.updatedAt ??= told.updatedAt;
  lasts.lastUpdated ??= told.lastUpdated;
  lasts.summary ??= told.summary;
}

function lastsOf(record: Json): TailFacts {
  const kind = kindOf(record);
  const metadata = metadataIn(record, kind);
  if (metadata === null) {
    const updatedAt = kind === "message" ? toTime(record.timestamp) : null;
    return { updatedAt, lastUpdated: null, summary: null };
  }
  const lastUpdated = toTime(metadata.lastUpdated);
  return {
    updatedAt: lastUpdated ?? lastTimeIn(listIn(record, kind)) ?? toTime(metadata.startTime),
    lastUpdated,
    summary: toTitle(metadata.summary),
  };
}

function lastTimeIn(messages: readonly unknown[] | null): string | null {
  for (const message of messages?.toReversed() ?? []) {
    const time = isJson(message) ? toTime(message.timestamp) : null;
    if (time !== null) return time;
  }
  return null;
}

function timeIn(record: Json, keys: readonly string[]): string | null {
  for (const key of keys) {
    const time = toTime(record[key]);
    if (time !== null) return time;
  }
  return null;
}

function firstDirectory(metadata: Json): string | null {
  const first = Array.isArray(metadata.directories) ? metadata.directories[0] : null;
  return typeof first === "string" && first !== "" ? first : null;
}
