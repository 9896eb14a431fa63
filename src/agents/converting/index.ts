/**
 * What a conversation of one agent is in another: which messages go over, in which form, and a receipt of
 * what became of each record.
 *
 * Promises: pure; nothing of the source is left out without a line on the receipt.
 * Does not know: files, or how any agent writes its sessions.
 */

export { type Conversion, type ConversionOptions, convertMessages } from "./convert.ts";
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
  toReceipt,
} from "./receipt.ts";
export { retrace } from "./retrace.ts";
export { differenceBetween, isConversation, type Said, toldBy, withoutAside } from "./same.ts";
export { type Selection, selectMessages } from "./select.ts";
