/**
 * Sessions from which a rewind took out all that was said. Gemini CLI lists none of them, and deletes the file at one of
 * its next starts (0.61.0), although all messages are still in it.
 */

import { type FoundFile, isJson, parseJson, textOfValue } from "@continuo/files";
import { linesBackwards, openBytes, openLines } from "@continuo/files/records";
import { type RepairDraft, remainingLines, remove } from "../repairing/index.ts";
import { isResumable, kindOf, listIn } from "./records.ts";

/** Reads the file from its end, and all of it only if a rewind comes after the last message. Errors: `unreadable`. */
export async function isRewound({ path, sizeBytes }: FoundFile, signal?: AbortSignal): Promise<boolean> {
  if (!(await endsInRewind(path, sizeBytes, signal))) return false;
  const talk = createTalk();
  using lines = openLines(path, sizeBytes);
  for await (const records of lines.scan(signal ? { signal } : {})) {
    for (const { value } of records) foldTalk(talk, value);
  }
  return !isSaid(talk);
}

/** Takes out the last rewinds, until one message or more is left. */
export function dropEmptyingRewinds(draft: RepairDraft): void {
  for (const line of remainingLines(draft).toReversed()) {
    if (kindOf(line.value) !== "rewind") continue;
    const talk = createTalk();
    for (const { value } of remainingLines(draft)) foldTalk(talk, value);
    if (isSaid(talk)) return;
    remove(line, "it takes out all that was said");
  }
}

async function endsInRewind(
  path: string,
  sizeBytes: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const bytes = openBytes(path);
  try {
    for await (const { text } of linesBackwards(bytes, sizeBytes, signal ? { signal } : {})) {
      const value = recordIn(text);
      const kind = kindOf(value);
      if (kind === "rewind") return true;
      const talk = createTalk();
      foldTalk(talk, value);
      if (isSaid(talk)) return false;
    }
    return false;
  } finally {
    bytes.close();
  }
}

function recordIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The ids of the messages that are in the list now, in their order, and whether each is a part of the conversation. */
type Talk = Map<string, boolean>;

function createTalk(): Talk {
  return new Map();
}

function foldTalk(talk: Talk, value: unknown): void {
  if (!isJson(value)) return;
  const kind = kindOf(value);
  const list = listIn(value, kind);
  if (list !== null) talk.clear();
  if (kind === "rewind") rewind(talk, textOfValue(value.$rewindTo));
  for (const message of kind === "message" ? [value] : (list ?? [])) {
    if (isJson(message)) talk.set(textOfValue(message.id), isResumable(message));
  }
}

/** An id that is not in the list empties it. */
function rewind(talk: Talk, target: string): void {
  const ids = [...talk.keys()];
  for (const id of ids.slice(Math.max(0, ids.indexOf(target)))) talk.delete(id);
}

function isSaid(talk: Talk): boolean {
  return talk.values().some((isTalk) => isTalk);
}
