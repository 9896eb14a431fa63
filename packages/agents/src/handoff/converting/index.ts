/**
 * The conversion of a hand-over: which messages the target receives, in which form, with a receipt line for each record.
 *
 * Promises: pure; every omission has a line on the receipt.
 * Does not know: files, or how an agent writes its sessions.
 */

export {
  type Comparison,
  comparedPart,
  compareViews,
  differenceBetween,
  differenceFromSaid,
  isConversation,
  type SpokenMessage,
  withoutAside,
} from "./compare-sessions.ts";
export { type Conversion, convertMessages } from "./convert.ts";
export {
  excessOf,
  kindOf,
  linesOf,
  type MaxLoss,
  type Outcome,
  placeText,
  RECEIPT_KINDS,
  type Receipt,
  type ReceiptKind,
  type ReceiptRecord,
  toldApart,
  toReceipt,
  withLines,
} from "./receipt.ts";
export { selectMessages } from "./select.ts";
export { type Thought, withUnsentThoughts, wordsOfThought } from "./thoughts.ts";
