/**
 * Reads single lines of a session file. Pure.
 *
 * An entry that was said is on some branch, wherever it hangs: only an entry with the same id can take its place.
 */

import { isJson } from "@continuo/files";
import { firstLineOf, isAlone, type LineReader, standsOnce } from "../kit/index.ts";
import { type MessageOptions, toMessage } from "./messages.ts";
import { filledField, flawOf, parseHeader, roleOf } from "./records.ts";

const OPTIONS: MessageOptions = { native: false, callOf: () => undefined, keptMessageId: null };
/** Older versions are read by other rules. */
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
