/**
 * The one rule of where a turn begins, for every page, list and index: with what a person says. What was injected
 * before the first question belongs to that question, as a list counts it. Pure.
 */

import type { Message } from "../../model/index.ts";
import { messageKind } from "./parts.ts";

/**
 * Ask it about each message of a history once, in order.
 *
 * @param isBegun the messages are not the first ones of their history
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
