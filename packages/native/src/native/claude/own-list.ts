/**
 * The name of a session in Claude Code's own list; a session without a name is not listed. The list reads the first and
 * the last 64 KiB of the file as text. Pure; the rules are those of the Agent SDK 0.3.330.
 *
 * | place | rule |
 * |---|---|
 * | first line | a session with `"isSidechain":true` in this line is not listed |
 * | title | the last `custom-title` of the end, the title next to the file, the last `custom-title` of the start |
 * | else | the last `ai-title` of the end, the last `ai-title` of the start |
 * | else | the last `lastPrompt` of the end, the last `summary` of the end |
 * | else | the first prompt that is complete in the start and is not markup |
 * | else | the name of a command; "Image", "Document" |
 */

import { isJson, type Json, parseJson } from "@continuo/files";

/** The parts of a file that the list reads. */
export interface FileEnds {
  /** The first `END_BYTES` as text. */
  readonly head: string;
  /** The last `END_BYTES` as text; the same text as `head` for a smaller file. */
  readonly tail: string;
}

export const END_BYTES: number = 64 * 1024;

/**
 * Returns a name that the list may use for the session, not necessarily the one that it shows. The list leaves out a
 * session for which this is `null`, unless there is a title next to its file.
 */
export function listedName({ head, tail }: FileEnds): string | null {
  if (isSidechainFirst(head)) return null;
  // The search for the first prompt is nearly always short. The other names are searched only if there is no prompt.
  return (
    firstPrompt(head) ||
    lastText(tail, "customTitle", "custom-title") ||
    lastText(head, "customTitle", "custom-title") ||
    lastText(tail, "aiTitle", "ai-title") ||
    lastText(head, "aiTitle", "ai-title") ||
    lastText(tail, "lastPrompt") ||
    lastText(tail, "summary") ||
    mediaName(head) ||
    null
  );
}

export function isSidechainFirst(head: string): boolean {
  const end = head.indexOf("\n");
  return /"isSidechain": ?true/u.test(end < 0 ? head : head.slice(0, end));
}

/**
 * The folders that are named at the start of the file, in order and each once: those of its records, and a few from
 * calls of tools.
 */
export function foldersIn(head: string): readonly string[] {
  const folders = new Set<string>();
  for (const [, quoted = ""] of head.matchAll(/"cwd": ?("(?:[^"\\]|\\.)*")/gu)) {
    const folder = textIn(quoted);
    if (folder !== "") folders.add(folder);
  }
  return [...folders];
}

function textIn(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return "";
  }
}

/** The folder to which Claude Code itself moved the session. */
export function relocatedTo(tail: string): string | null {
  return lastText(tail, "relocatedCwd", "relocated") || null;
}

/** The session that the end of this one names as its continuation; a later prompt or answer cancels that. */
export function continuationOf(tail: string): string | null {
  const mark = '"type":"continued-in"';
  if (!tail.includes(mark)) return null;
  for (const line of linesOf(tail).toReversed()) {
    const record = recordIn(line);
    if (record === null) continue;
    if (record.type === "continued-in") {
      return typeof record.continuedInSessionId === "string" ? record.continuedInSessionId : null;
    }
    if (isAnswered(record) || promptOf(record).prompt !== null) return null;
  }
  return null;
}

function isAnswered({ type, isApiErrorMessage, message }: Json): boolean {
  if (type !== "assistant" || isApiErrorMessage === true) return false;
  return isJson(message) && typeof message.stop_reason === "string";
}

interface Prompt {
  readonly prompt: string | null;
  /** The name of a slash command, which is the name of a session without a prompt. */
  readonly command: string | null;
}

const MARKUP = /^(?:\s*<[a-z][\w-]*[\s>]|\[Request interrupted by user[^\]]*\])/u;
const PASTED = /\n{0,2}<pasted_content id="([0-9a-f]{4})">\n([\s\S]*?)\n?<\/pasted_content id="\1">\n{0,2}/gu;

/** The part of one record that the list takes for a prompt. */
export function promptOf({ type, isMeta, isCompactSummary, message }: Json): Prompt {
  const none: Prompt = { prompt: null, command: null };
  if (type !== "user" || isMeta === true || isCompactSummary === true || !isJson(message)) return none;
  let command: string | null = null;
  for (const text of textsOf(message.content) ?? []) {
    const line = text.replace(PASTED, "$2").replaceAll("\n", " ").trim();
    if (line === "") continue;
    const named = /<command-name>(.*?)<\/command-name>/u.exec(line);
    if (named !== null) {
      command ??= named[1] || null;
      continue;
    }
    const typed = /<bash-input>([\s\S]*?)<\/bash-input>/u.exec(line);
    if (typed !== null) return { prompt: `! ${typed[1]?.trim() ?? ""}`, command };
    if (!MARKUP.test(line)) return { prompt: line, command };
  }
  return { prompt: null, command };
}

/** `null` for the result of a tool. */
function textsOf(content: unknown): readonly string[] | null {
  if (typeof content === "string") return [content];
  const texts: string[] = [];
  for (const block of Array.isArray(content) ? content : []) {
    if (!isJson(block)) continue;
    if (block.type === "tool_result") return null;
    if (block.type === "text" && typeof block.text === "string") texts.push(block.text);
  }
  return texts;
}

function firstPrompt(head: string): string | null {
  let fallback: string | null = null;
  for (const line of userLines(head)) {
    if (/"isCompactSummary": ?true/u.test(line)) continue;
    const record = recordIn(line);
    if (record === null) continue;
    const { prompt, command } = promptOf(record);
    if (prompt !== null) return prompt;
    fallback ??= command;
  }
  return fallback;
}

/** This also works with an incomplete line. */
function mediaName(head: string): string | null {
  for (const line of userLines(head)) {
    if (/"type": ?"image"/u.test(line)) return "Image";
    if (/"type": ?"document"/u.test(line)) return "Document";
  }
  return null;
}

function* userLines(text: string): Generator<string, void, void> {
  for (const line of eachLine(text)) {
    if (!/"type": ?"user"/u.test(line) || line.includes('"tool_result"')) continue;
    if (!/"isMeta": ?true/u.test(line)) yield line;
  }
}

/** The last text of this key, in a record of this type if one is given. */
function lastText(text: string, key: string, type?: string): string | null {
  const field = `"${key}":`;
  if (!text.includes(field)) return null;
  for (const line of linesOf(text).toReversed()) {
    if (!line.includes(field) || (type !== undefined && !line.includes(`"${type}"`))) continue;
    const record = recordIn(line) ?? tornRecordIn(line, type);
    const value = type === undefined || record?.type === type ? record?.[key] : undefined;
    if (typeof value === "string") return value;
  }
  return null;
}

/** Finds a title that was written after an incomplete line of another record. */
function tornRecordIn(line: string, type: string | undefined): Json | null {
  const start = type === undefined ? -1 : line.lastIndexOf(`{"type":"${type}"`);
  return start > 0 && !":,[".includes(line.charAt(start - 1)) ? recordIn(line.slice(start)) : null;
}

export function recordIn(line: string): Json | null {
  try {
    const value = parseJson(line);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}

function linesOf(text: string): readonly string[] {
  return text.split("\n");
}

function* eachLine(text: string): Generator<string, void, void> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    yield end < 0 ? text.slice(start) : text.slice(start, end);
    start = end < 0 ? text.length : end + 1;
  }
}
