/** Messages that make pi's own list skip their session (1.6.0). */

import { type FoundFile, isJson, type Json } from "@continuo/files";
import { openBytes, openLines } from "@continuo/files/records";
import { messageOf } from "./records.ts";

const CHUNK_BYTES = 1024 * 1024;
/** A match that two chunks share is found in the second one. */
const OVERLAP_BYTES = 64;
/**
 * Bytes that every such message has: content that is neither a text nor a list, a list with a block that is null, or an
 * entry whose message is missing.
 */
const SUSPECT =
  /"content"\s*:\s*[^"[\s]|[[,]\s*null\s*[\],]|"message"\s*:\s*null|"type"\s*:\s*"message"(?![^\n]{0,300}"message"\s*:)/u;

/** Lines are parsed only if their bytes may contain such a message. */
export async function hasUnread(file: FoundFile, signal: AbortSignal | undefined): Promise<boolean> {
  if (!(await isSuspect(file))) return false;
  using lines = openLines(file.path, file.sizeBytes);
  for await (const records of lines.scan(signal ? { signal } : {})) {
    if (records.some(({ value }) => isJson(value) && isUnread(value))) return true;
  }
  return false;
}

async function isSuspect({ path, sizeBytes }: FoundFile): Promise<boolean> {
  const bytes = openBytes(path);
  try {
    for (let at = 0; at < sizeBytes; at += CHUNK_BYTES) {
      const start = Math.max(0, at - OVERLAP_BYTES);
      const text = (await bytes.read(start, at + CHUNK_BYTES - start)).toString("latin1");
      if (SUSPECT.test(text)) return true;
    }
    return false;
  } finally {
    bytes.close();
  }
}

/** Only messages from which the list takes text matter; a message without content is only counted. */
function isUnread(entry: Json): boolean {
  if (lacksMessage(entry)) return true;
  const message = entry.type === "message" ? messageOf(entry) : null;
  if (message === null || !("content" in message)) return false;
  if (message.role !== "user" && message.role !== "assistant") return false;
  const { content } = message;
  return Array.isArray(content) ? content.includes(null) : typeof content !== "string";
}

/** Neither the list nor a resumption of pi can read beyond such an entry. */
function lacksMessage(entry: Json): boolean {
  return entry.type === "message" && (entry.message === undefined || entry.message === null);
}
