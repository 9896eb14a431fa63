/** Changes each block so that the target accepts it, and records the change on the receipt. Pure. */

import {
  type Block,
  type Message,
  type ThinkingBlock,
  type ToolCallBlock,
  type ToolResultBlock,
  toWellFormed,
} from "@continuo/core/model";
import { isJson } from "@continuo/files";
import type { TargetRules } from "@continuo/native";
import { type FittedBlock, fitFile, fitImage } from "./media.ts";
import type { ToolNames } from "./names.ts";
import type { ReceiptRecord } from "./receipt.ts";

type Fit = FittedBlock<Block>;

/** The context of a conversion, and the receipt to which it reports each block. */
export interface ConversionContext {
  readonly rules: TargetRules;
  readonly names: ToolNames;
  readonly isOwn: (message: Message) => boolean;
  /** @param made what the block became. */
  readonly note: (
    message: Message,
    block: Block,
    outcome: ReceiptRecord["outcome"],
    reason: string,
    made?: Block | null,
  ) => void;
  /** Records something in the new session that does not come from a record of the source. */
  readonly add: (kind: ReceiptRecord["kind"], reason: string) => void;
}

interface BlockContext {
  readonly work: ConversionContext;
  readonly where: "prompt" | "answer";
}

/** Fits the content of a prompt or an answer, which contains no results. */
export function fitBlocks(
  message: Message,
  content: readonly Block[],
  { work, where }: BlockContext,
): Block[] {
  let isFirstText = true;
  return content.flatMap((raw): Block[] => {
    const block = plain(raw);
    if (work.isOwn(message)) return noted(message, raw, fitOwn(raw, work, where), work);
    let fit = fitBlock(block, work, where);
    if (where === "prompt" && fit.block?.type === "text") {
      if (isFirstText) fit = withoutDroppedStart(fit, work);
      isFirstText = false;
    }
    return noted(message, raw, fit, work);
  });
}

interface FitResult {
  readonly content: readonly Block[];
  readonly moved: readonly Block[];
}

export function fitResult(message: Message, result: ToolResultBlock, work: ConversionContext): FitResult {
  if (work.isOwn(message)) return fitOwnResult(message, result, work);
  const moved: Block[] = [];
  const content: Block[] = [];
  const { imagesInErrors, imagesInResults, oneTextInResults } = work.rules;
  const isClosed = imagesInResults === false || (result.isError && !imagesInErrors);
  let isRewritten = false;
  for (const raw of result.content) {
    const block = plain(raw);
    if (block.type === "text") {
      const fit = fitText(block.text);
      isRewritten ||= fit.reason === MENDED;
      if (fit.block !== null) content.push(fit.block);
      continue;
    }
    const fit = fitBlock(block, work, "prompt");
    const isMoved = isClosed && fit.block?.type !== "text";
    if (fit.block !== null) (isMoved ? moved : content).push(fit.block);
    const reason = fit.reason || (isMoved ? movedReason(result) : "");
    work.note(message, raw, fit.block === null ? "dropped" : reason === "" ? "kept" : "rewritten", reason);
  }
  const joined = oneTextInResults ? joinTexts(content) : content;
  const isMoved = joined.some((block, at) => block.type !== content[at]?.type);
  const reasons = [
    ...(joined.length < content.length ? ["its texts are joined"] : []),
    ...(joined.length === content.length && isMoved ? ["its text comes first"] : []),
    ...(isRewritten ? [MENDED] : []),
  ];
  const reason = reasons.join("; ");
  work.note(message, result, reason === "" ? "kept" : "rewritten", reason);
  const isSilent = joined.length === 0;
  return { content: isSilent ? [{ type: "text", text: "" }] : joined, moved };
}

function movedReason({ isError }: ToolResultBlock): string {
  return isError ? "follows the result, which failed" : "follows the result";
}

/** Keeps the target agent's own result as the agent wrote it, except blocks that its writer cannot write. */
function fitOwnResult(message: Message, result: ToolResultBlock, work: ConversionContext): FitResult {
  const content = result.content.flatMap((raw): Block[] => {
    const block = plain(raw);
    if (block.type === "text") return [block];
    return noted(message, raw, fitOwn(block, work, "prompt"), work);
  });
  work.note(message, result, "kept", "");
  return { content: content.length === 0 ? [{ type: "text", text: "" }] : content, moved: [] };
}

/** Joins all texts into one, which comes before the other blocks. */
function joinTexts(content: readonly Block[]): readonly Block[] {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (texts.length === 0) return content;
  return [{ type: "text", text: texts.join("\n\n") }, ...content.filter((block) => block.type !== "text")];
}

/** Removes the additional fields of the source's file. */
function plain(block: Block): Block {
  const { native: _native, ...rest } = block;
  return rest as Block;
}

function noted(message: Message, raw: Block, { block, reason }: Fit, work: ConversionContext): Block[] {
  const outcome = block === null ? "dropped" : reason === "" ? "kept" : "rewritten";
  work.note(message, raw, outcome, reason, block);
  return block === null ? [] : [block];
}

/** Keeps the target agent's own block as it is, with its signature; a call keeps its native fields too. */
function fitOwn(raw: Block, work: ConversionContext, where: BlockContext["where"]): Fit {
  if (raw.type === "tool_call") return fitOwnCall(raw, work);
  const block = plain(raw);
  switch (block.type) {
    case "text":
      return block.text === "" && block.signature === undefined
        ? { block: null, reason: EMPTY }
        : { block, reason: "" };
    case "thinking":
      return where === "answer"
        ? { block: isWrittenAsText(raw) ? raw : block, reason: "" }
        : { block: null, reason: OUTSIDE };
    case "image":
      return where === "prompt" && block.data !== undefined
        ? { block, reason: "" }
        : fitBlock(block, work, where);
    default:
      return fitBlock(block, work, where);
  }
}

/** Returns true if the agent's file has this thinking as a text block. The writer then writes a text block again. */
export function isWrittenAsText({ type, native }: Block): boolean {
  return type === "thinking" && isJson(native) && native.type === "text";
}

/** The raw text of the arguments stays if it is a JSON object, or if this kind of call takes any text. */
function fitOwnCall(block: ToolCallBlock, { names, rules }: ConversionContext): Fit {
  const { childSessionId: _child, ranBy, rawArgs, ...call } = block;
  const id = names.ownCallId(block.id);
  const reason = ranBy === "model" ? RAN_BY_VENDOR : "";
  if (rawArgs === undefined) return { block: { ...call, id }, reason };
  const takesText = isJson(block.native) && block.native.type === rules.textCall;
  if (takesText || isObjectText(rawArgs)) return { block: { ...call, id, rawArgs }, reason };
  const args = Object.keys(call.args).length > 0 ? call.args : { input: rawArgs };
  return { block: { ...call, id, args }, reason: "its input made acceptable" };
}

function isObjectText(text: string): boolean {
  try {
    return isJson(JSON.parse(text));
  } catch {
    return false;
  }
}

function fitBlock(block: Block, work: ConversionContext, where: BlockContext["where"]): Fit {
  switch (block.type) {
    case "text":
      return withoutSignature(fitText(block.text), block.signature);
    case "thinking":
      return where === "answer" ? fitThinking(block, work) : { block: null, reason: OUTSIDE };
    case "tool_call":
      return fitCall(block, work);
    case "image":
      return where === "answer"
        ? { block: null, reason: "no agent accepts an image in an answer" }
        : fitImage(block, work.rules);
    case "file":
      return fitFile(block, work.rules);
    case "tool_result":
    case "unknown":
      return { block: null, reason: "the target has no block of this kind" };
  }
}

const EMPTY = "empty";
const OUTSIDE = "thinking outside of an answer";
const MENDED = "halves of characters are replaced";

const UNSIGNED = "without its signature";

/** A text's signature is valid only in requests to the vendor that made it. */
function withoutSignature(fit: Fit, signature: string | undefined): Fit {
  return signature === undefined || fit.reason !== "" ? fit : { ...fit, reason: UNSIGNED };
}

function fitText(text: string): Fit {
  if (text === "") return { block: null, reason: EMPTY };
  const whole = text.toWellFormed();
  return { block: { type: "text", text: whole }, reason: whole === text ? "" : MENDED };
}

function withoutDroppedStart(fit: Fit, { rules }: ConversionContext): Fit {
  if (rules.droppedStart === null || fit.block?.type !== "text") return fit;
  if (!rules.droppedStart.test(fit.block.text)) return fit;
  // After a zero-width character, the agent does not treat the text as a command.
  return {
    block: { type: "text", text: `\u200b${fit.block.text}` },
    reason: "the target agent would leave out a text that begins like this",
  };
}

function fitThinking(block: ThinkingBlock, { rules }: ConversionContext): Fit {
  const { signature, ...unsigned } = block;
  const isSealed = !!signature || block.data !== undefined;
  const isOurs = block.signedBy === rules.vendor;
  if (isSealed && isOurs) return sealedAlone(block);
  const whole = block.text.toWellFormed();
  const reason = whole === block.text ? "" : MENDED;
  if (!isSealed) return { block: { ...unsigned, text: whole }, reason };
  if (block.text === "") return { block: null, reason: "encrypted by another vendor, without a text" };
  return {
    block: { type: "thinking", text: whole },
    reason: "signed by another vendor: without the signature",
  };
}

/** A block that a vendor hid goes back only in its encrypted form: the record has no place for a text next to it. */
function sealedAlone(block: ThinkingBlock): Fit {
  const isHidden = block.redacted === true && block.data !== undefined && block.text !== "";
  if (!isHidden) return { block, reason: "" };
  return { block: { ...block, text: "" }, reason: "only in its encrypted form" };
}

const RAN_BY_VENDOR = "the vendor ran it: written as a call of the agent";

function fitCall(block: ToolCallBlock, { names }: ConversionContext): Fit {
  const id = names.callId(block.id);
  const name = names.toolName(block.name);
  const isText = Object.keys(block.args).length === 0 && !!block.rawArgs && block.rawArgs.trim() !== "{}";
  const given = isText ? { input: block.rawArgs } : block.args;
  const args = toWellFormed(given) as ToolCallBlock["args"];
  const mended = [
    ...(id === block.id ? [] : ["its id"]),
    ...(name === block.name ? [] : ["its name"]),
    ...(isText || args !== given ? ["its input"] : []),
  ];
  const reasons = [
    ...(block.ranBy === "model" ? [RAN_BY_VENDOR] : []),
    ...(mended.length === 0 ? [] : [`${mended.join(" and ")} made acceptable`]),
    ...(block.signature === undefined ? [] : [UNSIGNED]),
  ];
  return { block: { type: "tool_call", id, name, args }, reason: reasons.join("; ") };
}
