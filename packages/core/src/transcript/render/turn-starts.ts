/**
 * The rule for every page, list and index: a turn begins with a person's message. Messages that were injected before
 * the first question belong to its turn, as in the count of a list. Pure.
 */

import type { Message } from "../../model/index.ts";
import { messageKind } from "./parts.ts";

/**
 * Call it once for each message of a history, in order.
 *
 * @param isBegun true if the messages are not the first ones of their history
 */
export function createTurnStarts(isBegun = false): (message: Message) => boolean {
  let isFirst = !isBegun;
  let isLeadIn = !isBegun;
  return (message) => {
    const kind = messageKind(message);
    const begins = isFirst || (kind === "person" && !isLeadIn);
    isFirst = false;
    if (kind !== "injected") isLeadIn = false;
    return begins;
  };
}
