/**
 * The rules by which Codex's own list shows a rollout file. The list reads only files, even if Codex's database has
 * rows (seen in 0.171.0). Pure.
 *
 * | a file is listed if | rule |
 * |---|---|
 * | place | `sessions/YYYY/MM/DD/rollout-TIME-UUID.jsonl`; the id in the name may differ from the id in the header |
 * | header | a `session_meta` with all of its fields is among the first lines |
 * | source | left out, `cli`, `vscode`, or a program that names itself |
 * | provider | left out, or that of the settings |
 * | prompt | one of the first 210 lines is shown as a prompt of the person, and has text or a picture |
 */

import { isJson, type Json } from "@continuo/files";
import { parseRecord, parseSessionMeta, type SessionMeta } from "./records.ts";
import { shownUserText } from "./text-authors.ts";

/** Lines that the list looks at for a prompt. */
const LISTED_LINES = 210;

export type SourceKind = "listed" | "exec" | "sub-agent" | "other";

/** The facts for the list from the first lines of a file. */
export interface RolloutHead {
  readonly meta: "complete" | "incomplete" | "missing";
  readonly source: SourceKind;
  /** `null` if the header names none. */
  readonly provider: string | null;
  readonly hasBase: boolean;
  /** The folder that it works in; `null` if the header names none. */
  readonly cwd: string | null;
  readonly prompt: "shown" | "empty" | "none";
}

/** A fold over the lines of a file, in their order. */
export interface HeadFold {
  lines: number;
  meta: SessionMeta | null;
  header: Json;
  prompt: RolloutHead["prompt"];
}

export function createHeadFold(): HeadFold {
  return { lines: 0, meta: null, header: {}, prompt: "none" };
}

/** True when the list has seen enough. */
export function foldHead(fold: HeadFold, value: unknown): boolean {
  fold.lines += 1;
  const record = parseRecord(value);
  if (record === null) return fold.lines >= LISTED_LINES;
  if (fold.meta === null) {
    fold.meta = parseSessionMeta(value);
    if (fold.meta !== null) fold.header = record.payload;
  }
  const shown = record.type === "event_msg" ? promptOf(record.payload) : "none";
  if (shown !== "none") fold.prompt = shown;
  return (fold.prompt === "shown" && fold.meta !== null) || fold.lines >= LISTED_LINES;
}

export function finishHead({ meta, header, prompt }: HeadFold): RolloutHead {
  return {
    meta: meta === null ? "missing" : isComplete(meta) ? "complete" : "incomplete",
    source: sourceOf(header.source),
    provider: typeof header.model_provider === "string" ? header.model_provider : null,
    hasBase: meta !== null && meta.base !== null,
    cwd: meta?.cwd ?? null,
    prompt,
  };
}

function isComplete({ id, missingKeys, misformedKeys, unreadLineParts }: SessionMeta): boolean {
  return id !== null && missingKeys.length + misformedKeys.length + unreadLineParts.length === 0;
}

function sourceOf(source: unknown): SourceKind {
  if (source === undefined || source === "cli" || source === "vscode") return "listed";
  if (isJson(source)) return "custom" in source ? "listed" : "sub-agent";
  return source === "exec" ? "exec" : "other";
}

/** An editor puts its own text before the request. */
const REQUEST = "## My request for Codex:";

/** `none` for an event that is not a prompt. */
export function promptOf(payload: Json): RolloutHead["prompt"] {
  const text = shownUserText(payload);
  if (text === null) return "none";
  const at = text.indexOf(REQUEST);
  const asked = at < 0 ? text : text.slice(at + REQUEST.length);
  return asked.trim() !== "" || hasPicture(payload) ? "shown" : "empty";
}

function hasPicture({ images, local_images: local, item }: Json): boolean {
  const content = isJson(item) ? item.content : undefined;
  if (Array.isArray(content)) return content.some((part) => isJson(part) && part.type !== "text");
  return [images, local].some((list) => Array.isArray(list) && list.length > 0);
}

/** Returns the provider in `config.toml`: that of the chosen profile, else that of the file, else `openai`. */
export function providerIn(config: string): string {
  const profile = textIn(tableIn(config, null), "profile");
  const chosen = profile === null ? null : textIn(tableIn(config, `profiles.${profile}`), "model_provider");
  return chosen ?? textIn(tableIn(config, null), "model_provider") ?? "openai";
}

/** Returns the lines of a table; for `null`, the lines before the first table. */
function tableIn(config: string, table: string | null): readonly string[] {
  const lines: string[] = [];
  let current: string | null = null;
  for (const line of config.split("\n")) {
    const [, name] = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/u.exec(line) ?? [];
    if (name !== undefined) current = name.replaceAll(/["'\s]/gu, "");
    else if (/^\s*\[\[/u.test(line)) current = "";
    else if (current === table) lines.push(line);
  }
  return lines;
}

function textIn(lines: readonly string[], key: string): string | null {
  for (const line of lines) {
    const [, quoted, literal] =
      new RegExp(`^\\s*${key}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "u").exec(line) ?? [];
    const value = quoted ?? literal;
    if (value !== undefined) return value;
  }
  return null;
}
