/** Selects the part of a conversation that is handed over: from a message on, within limits. Pure. */

import { type Block, ContinuoError, type Message, present } from "@continuo/core/model";
import { planContext } from "@continuo/core/transcript";
import { comparedPart, linesOf, placeText, type ReceiptRecord } from "../converting/index.ts";

export interface PartOptions {
  /** Begins with the message of this id. */
  readonly fromMessage?: string;
  /**
   * `full`: all messages that the source's model would receive; `recent`: the newest that fit. With a limit, the
   * default is `recent`.
   */
  readonly strategy?: "full" | "recent";
  readonly maxMessages?: number;
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
}

/** The selected messages, and a line for each block that is left out or was cut. */
export interface MessageSelection {
  readonly messages: readonly Message[];
  readonly left: readonly ReceiptRecord[];
}

/** Errors: `not_found`. */
export function fromMessage(messages: readonly Message[], id: string | undefined): MessageSelection {
  if (id === undefined) return { messages, left: [] };
  const at = messages.findIndex((message) => message.id === id);
  if (at === -1) {
    throw new ContinuoError("not_found", `cannot begin with ${JSON.stringify(id)}: no message has this id`, {
      hint: "Run `continuo session show ID --json` to see the ids; messages that the agent no longer sends to its model cannot be handed over.",
    });
  }
  const left = messages
    .slice(0, at)
    .flatMap((message) => leftOut(message, message.content, "before the first message to hand over"));
  return { messages: messages.slice(at), left };
}

/** The default limit of tokens for `recent`. This number fits into the context of every current model. */
const DEFAULT_MAX_TOKENS = 100_000;

/** Errors: `usage` for limits that contradict the strategy. */
export function withinLimits(messages: readonly Message[], options: PartOptions): MessageSelection {
  const { maxMessages, maxTokens } = options;
  const isLimited = maxMessages !== undefined || maxTokens !== undefined;
  const strategy = options.strategy ?? (isLimited ? "recent" : "full");
  if (strategy === "full" && isLimited) {
    throw new ContinuoError("usage", "the strategy `full` excludes limits", {
      hint: "Leave out the strategy, or the limit.",
    });
  }
  if (strategy === "full") return { messages, left: [] };
  const paired = planContext(messages).messages;
  const within = planContext(paired, {
    ...present({ maxMessages }),
    ...(isLimited && maxTokens === undefined ? {} : { maxTokensApprox: maxTokens ?? DEFAULT_MAX_TOKENS }),
  }).messages;
  return { messages: within, left: [...halvesOf(messages, paired), ...overLimit(paired, within)] };
}

/** Returns lines for the calls without a result, and the results without a call. */
function halvesOf(messages: readonly Message[], paired: readonly Message[]): ReceiptRecord[] {
  const stayed = new Map(paired.map((message) => [message.id, message]));
  return messages.flatMap((message) => {
    const now = stayed.get(message.id);
    if (now === message) return [];
    const blocks = new Set(now?.content.map(pairOf));
    return message.content
      .filter((block) => !blocks.has(pairOf(block)))
      .flatMap((block) => leftOut(message, [block], HALVES[block.type] ?? "without its pair"));
  });
}

/**
 * Returns a key of a block. The key of a call or of a result contains the id of the call; the other blocks of one type
 * all have the same key.
 */
function pairOf(block: Block): string {
  if (block.type === "tool_call") return `call ${block.id}`;
  return block.type === "tool_result" ? `result ${block.toolCallId}` : block.type;
}

const HALVES: Readonly<Partial<Record<Block["type"], string>>> = {
  tool_call: "a call without a result, which a limited context leaves out",
  tool_result: "a result without a call, which a limited context leaves out",
};

function overLimit(paired: readonly Message[], within: readonly Message[]): ReceiptRecord[] {
  const chosen = new Map(within.map((message) => [message.id, message]));
  return paired.flatMap((message) => {
    const now = chosen.get(message.id);
    if (now === undefined)
      return leftOut(message, message.content, "over the limit; newer messages have priority");
    if (now === message) return [];
    return leftOut(message, cutOf(message.content, now.content), "cut to the limit");
  });
}

/**
 * Returns the blocks that were cut. The order and the number of blocks do not change; pictures that a cut result still
 * has do not count as cut.
 */
function cutOf(before: readonly Block[], now: readonly Block[]): Block[] {
  return before.flatMap((block, at): Block[] => {
    const after = now[at];
    if (!isCut(block, after)) return [];
    if (block.type !== "tool_result" || after?.type !== "tool_result") return [block];
    const content = block.content.filter((inner, nth) => isCut(inner, after.content[nth]));
    return [{ ...block, content }];
  });
}

function isCut(block: Block, now: Block | undefined): boolean {
  if (now === undefined) return true;
  if (block.type !== now.type || ("signature" in block && !("signature" in now))) return true;
  return comparedPart(block)?.words !== comparedPart(now)?.words;
}

function leftOut(message: Message, blocks: readonly Block[], reason: string): ReceiptRecord[] {
  return linesOf(blocks, { place: placeText(message.metadata.records), outcome: "noted", reason });
}
