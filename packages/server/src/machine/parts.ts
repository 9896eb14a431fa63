/** Parts of one message: the rest of a text, the bytes of an image. */

import { type CachedHistory, HISTORY_LIMITS, indexOf, SHOWN_IMAGES } from "@continuo/agents/pages";
import { ContinuoError } from "@continuo/core/model";
import { type ImageBytes, type TextRest, valueAt } from "@continuo/core/wire/machine";

export interface ContentName {
  readonly messageId: string;
  readonly path: string;
}

/** Errors: `not_found` if there is no text; `out_of_range`. */
export function textIn(
  kept: CachedHistory,
  { messageId, path, from }: ContentName & { readonly from: number },
): TextRest {
  const text = valueAt(kept.messageAt(indexOf(kept, messageId)), path);
  if (typeof text !== "string" || !path.startsWith("content/")) throw nothingThere(path, "text");
  if (from > text.length) {
    throw new ContinuoError("out_of_range", `the text has ${text.length} characters`, {
      details: { total: text.length },
    });
  }
  return { text: text.slice(from, from + HISTORY_LIMITS.textAnswerChars), from, total: text.length };
}

/** Errors: `not_found` unless the session has the bytes of an image in a format that pages show. */
export function imageIn(kept: CachedHistory, { messageId, path }: ContentName): ImageBytes {
  const block = valueAt(kept.messageAt(indexOf(kept, messageId)), path);
  const { type, mimeType, data } = (block ?? {}) as Readonly<Record<string, unknown>>;
  const isShown = type === "image" && typeof mimeType === "string" && SHOWN_IMAGES.has(mimeType);
  if (!isShown || typeof data !== "string" || !path.startsWith("content/")) throw nothingThere(path, "image");
  return { mimeType, bytes: Uint8Array.from(Buffer.from(data, "base64")) };
}

function nothingThere(path: string, what: string): ContinuoError {
  return new ContinuoError(
    "not_found",
    `the message has no ${what} at ${JSON.stringify(path.slice(0, 200))}`,
  );
}
