/**
 * Sessions from which a rewind removed all messages. Gemini CLI does not list them, and deletes the file at one of its
 * next starts (0.61.0), although all messages are still in it.
 */

import { type FoundFile, isJson, parseJson, textOfValue } from "@continuo/files";
import { linesBackwards, openBytes, openLines } from "@continuo/files/records";
import { type RecordLine, type RepairDraft, remainingLines, remove } from "../repairing/index.ts";
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

/** Removes the last rewinds until at least one message is left. */
export function dropEmptyingRewinds(draft: RepairDraft): void {
  const talk = createTalk();
  const rewinds: { readonly line: RecordLine; readonly wasSaid: boolean }[] = [];
  for (const line of remainingLines(draft)) {
    if (kindOf(line.value) === "rewind") rewinds.push({ line, wasSaid: isSaid(talk) });
    foldTalk(talk, line.value);
  }
  if (isSaid(talk)) return;
  for (const { line, wasSaid } of rewinds.toReversed()) {
    remove(line, "it takes out all that was said");
    if (wasSaid) return;
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

/** The present list of messages, as far as needed to know whether the conversation has a message. */
interface Talk {
  readonly ids: string[];
  /** The place of each id in the list, and whether the message is a part of the conversation. */
  readonly messages: Map<string, { readonly place: number; readonly isTalk: boolean }>;
  said: number;
}

function createTalk(): Talk {
  return { ids: [], messages: new Map(), said: 0 };
}

function foldTalk(talk: Talk, value: unknown): void {
  if (!isJson(value)) return;
  const kind = kindOf(value);
  const list = listIn(value, kind);
  if (list !== null) cutTo(talk, 0);
  // An id that is not in the list empties it.
  if (kind === "rewind") cutTo(talk, talk.messages.get(textOfValue(value.$rewindTo))?.place ?? 0);
  for (const message of kind === "message" ? [value] : (list ?? [])) {
    if (isJson(message)) put(talk, textOfValue(message.id), isResumable(message));
  }
}

/** The same id again takes the place of the earlier message. */
function put(talk: Talk, id: string, isTalk: boolean): void {
  const earlier = talk.messages.get(id);
  if (earlier?.isTalk === true) talk.said -= 1;
  if (isTalk) talk.said += 1;
  talk.messages.set(id, { place: earlier?.place ?? talk.ids.length, isTalk });
  if (earlier === undefined) talk.ids.push(id);
}

function cutTo(talk: Talk, length: number): void {
  for (const id of talk.ids.splice(length)) {
    if (talk.messages.get(id)?.isTalk === true) talk.said -= 1;
    talk.messages.delete(id);
  }
}

function isSaid({ said }: Talk): boolean {
  return said > 0;
}
