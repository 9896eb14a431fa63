/**
 * Reads single lines of a session file. Pure.
 *
 * Every message entry is on some branch, whatever its parent is: only a later entry with the same id replaces it.
 */

import { isJson } from "@continuo/files";
import { firstLineOf, isAlone, type LineReader, standsOnce } from "../kit/index.ts";
import { type MessageOptions, toMessage } from "./messages.ts";
import { filledField, flawOf, parseHeader, roleOf } from "./records.ts";

const OPTIONS: MessageOptions = { native: false, callOf: () => undefined, keptMessageId: null };
/** Other rules apply to files of older versions. */
const VERSION = 3;
const SPOKEN: ReadonlySet<unknown> = new Set(["user", "assistant", "toolResult"]);

export const piLines: LineReader = {
  isPlain: (found, bytes) => isAlone(found) && parseHeader(firstLineOf(bytes))?.version === VERSION,
  messagesOf(value, bytes) {
    if (!isJson(value) || flawOf(value) !== null) return null;
    if (value.type === "session") return [];
    if (value.type !== "message") return null;
    const id = filledField(value, "id");
    const message = toMessage({ place: {}, id: id ?? "", value }, OPTIONS);
    const isKept = (): boolean => SPOKEN.has(roleOf(value)) && id !== null && standsOnce(bytes, "id", id);
    return [{ message, isKept }];
  },
};
