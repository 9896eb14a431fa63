/**
 * Reads single lines of a session file. Pure.
 *
 * If a file has no rewind and does not replace its list, a message whose id occurs once stays in the list. A result is
 * recorded up to three times, and counts once.
 */

import { isJson, textOfValue } from "@continuo/files";
import { isAlone, type LineMessage, type LineReader, standsOnce } from "../kit/index.ts";
import { isMessage } from "./index-fold.ts";
import { type MessageOptions, type PlacedMessage, toAnswer, toAside, toToolMessage } from "./messages.ts";
import { isResponse, kindOf, partsOf, resultsIn } from "./records.ts";
import { startsAsWhole } from "./source.ts";

const OPTIONS: MessageOptions = { children: new Map(), native: false };
/** Keys of records that change the meaning of other lines. */
const CHANGES = ['"$rewindTo"', '"messages"'];

export const geminiLines: LineReader = {
  isPlain: (found, bytes) =>
    isAlone(found) && !startsAsWhole(found.location) && CHANGES.every((key) => !bytes.includes(key)),
  messagesOf(value, bytes) {
    const kind = kindOf(value);
    if (kind === "metadata" || kind === "set") return [];
    if (kind !== "message" || !isJson(value) || !isMessage(value)) return null;
    const placed: PlacedMessage = { place: {}, value, lost: false };
    const isKept = (): boolean => standsOnce(bytes, "id", value.id) && hasOwnParts(value);
    const said: LineMessage = {
      message: value.type === "gemini" ? toAnswer(placed, null, OPTIONS) : toAside(placed, null, OPTIONS),
      isKept,
    };
    const results = resultsIn(value).map((result): LineMessage => {
      const one = { result, source: placed, repeats: [], call: null, id: textOfValue(value.id) };
      return { message: toToolMessage(one, OPTIONS), isKept: () => false };
    });
    return [said, ...results];
  },
};

/** A message of nothing but results is joined with the answer before it. */
function hasOwnParts(value: Readonly<Record<string, unknown>>): boolean {
  return value.type !== "user" || !partsOf(value.content).some(isResponse);
}
