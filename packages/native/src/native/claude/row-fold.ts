/**
 * The row of a session: what the list shows, folded from its lines.
 *
 * | field | rule |
 * |---|---|
 * | createdAt, updatedAt | `timestamp` of the first and of the last line that has one, in file order |
 * | cwd | `cwd` of the first line that has one: the folder where the session was started |
 * | gitBranch | `gitBranch` of the last line that has one; `""` and `HEAD` (no branch, no repository) are `null` |
 * | title | last `custom-title`, else last `ai-title` or `summary`, else the first thing the person typed |
 * | forkedFrom | the session in the first `forkedFrom`, which the SDK writes; a full read also knows who asked for the answers |
 *
 * The first facts and the last facts are folded separately, so that a skim can search for the first from the start of
 * the file, and for the last from its end. A full read folds both over every line.
 */

import { isJson, type Json, textField } from "@continuo/files";
import { toTitle } from "../kit/index.ts";
import { contentOf, timeOf, typedText } from "./records.ts";

/**
 * The meaning of lines with `isSidechain`: they belong to a sub-agent inside its parent's file, or to the file itself.
 */
export type Sidechains = "foreign" | "own";

export interface HeadFacts {
  createdAt: string | null;
  cwd: string | null;
  typed: string | null;
  /** True if there is a line of the conversation at all. */
  conversation: boolean;
  forkedFrom: string | null;
}

export interface TailFacts {
  updatedAt: string | null;
  /** The value in the file; `undefined` until the first one. */
  gitBranch: string | undefined;
  customTitle: string | null;
  generatedTitle: string | null;
}

export function createFirsts(): HeadFacts {
  return { createdAt: null, cwd: null, typed: null, conversation: false, forkedFrom: null };
}

export function createLasts(): TailFacts {
  return { updatedAt: null, gitBranch: undefined, customTitle: null, generatedTitle: null };
}

/** Fold in file order. */
export function foldFirsts(firsts: HeadFacts, record: Json, sidechains: Sidechains): void {
  firsts.createdAt ??= timeOf(record);
  firsts.cwd ??= nonEmpty(textField(record, "cwd"));
  firsts.forkedFrom ??= isJson(record.forkedFrom) ? textField(record.forkedFrom, "sessionId") : null;
  if (sidechains === "foreign" && record.isSidechain === true) return;
  firsts.typed ??= toTitle(typedText(record));
  firsts.conversation ||= isConversation(record);
}

/** Fold in file order. */
export function foldLasts(lasts: TailFacts, record: Json): void {
  lasts.updatedAt = timeOf(record) ?? lasts.updatedAt;
  lasts.gitBranch = textField(record, "gitBranch") ?? lasts.gitBranch;
  lasts.customTitle = customTitleOf(record) ?? lasts.customTitle;
  lasts.generatedTitle = generatedTitleOf(record) ?? lasts.generatedTitle;
}

/** Fold from the last line to the first. */
export function foldLastsBackwards(lasts: TailFacts, record: Json): void {
  lasts.updatedAt ??= timeOf(record);
  lasts.gitBranch ??= textField(record, "gitBranch") ?? undefined;
  lasts.customTitle ??= customTitleOf(record);
  lasts.generatedTitle ??= generatedTitleOf(record);
}

export interface Row {
  readonly title: string | null;
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly forkedFrom: string | null;
}

/** @param besideTitle the title in `custom-title.json`, for a session without a `custom-title` line. */
export function finishRow(firsts: HeadFacts, lasts: TailFacts, besideTitle: string | null): Row {
  const branch = lasts.gitBranch;
  return {
    title: lasts.customTitle ?? besideTitle ?? lasts.generatedTitle ?? firsts.typed,
    cwd: firsts.cwd,
    gitBranch: branch === undefined || branch === "" || branch === "HEAD" ? null : branch,
    createdAt: firsts.createdAt,
    updatedAt: lasts.updatedAt,
    forkedFrom: firsts.forkedFrom,
  };
}

/** Values of `type` that a byte search for titles looks for. */
export const TITLE_MARKERS: readonly string[] = ['"custom-title"', '"ai-title"', '"summary"'];

/** True for a line with content of the conversation. */
function isConversation(record: Json): boolean {
  return (record.type === "user" || record.type === "assistant") && contentOf(record) !== null;
}

function customTitleOf(record: Json): string | null {
  return record.type === "custom-title" ? toTitle(record.customTitle) : null;
}

function generatedTitleOf(record: Json): string | null {
  if (record.type === "ai-title") return toTitle(record.aiTitle);
  return record.type === "summary" ? toTitle(record.summary) : null;
}

function nonEmpty(text: string | null): string | null {
  return text === "" ? null : text;
}
