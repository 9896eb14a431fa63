/**
 * Converts messages of one agent to messages that another agent and its model accept. A block keeps its kind if the
 * target has that kind. Pure.
 *
 * 1. The first message is the user's; each answer is followed directly by one result for each of its calls.
 * 2. Tool ids have only `[a-zA-Z0-9_-]`, at most 64 characters, and are used once. Names of tools have the same form.
 *    Inputs are objects.
 * 3. Images and files stay where the target accepts them; others move to a message of the user after the results.
 * 4. Thinking stays thinking; signatures of a vendor that is not the target's are left out.
 *
 * Messages that the target itself wrote keep everything that it wrote into them, signatures too.
 */

import { type AgentName, type Block, type Message, present, type ToolCallBlock } from "@continuo/core/model";
import { PROMPT_BEFORE_ANSWER } from "@continuo/core/transcript";
import { agentOf } from "@continuo/native";
import type { NewMessage } from "@continuo/native/writing";
import { type ConversionContext, fitBlocks, fitResult } from "./blocks.ts";
import { createNames } from "./names.ts";
import { kindOf, placeText, type ReceiptRecord, toldApart } from "./receipt.ts";
import { outlineOf, type ResultSource, rank, resultsOf, sourcesOf } from "./results.ts";
import { type Thought, wordsOfThought } from "./thoughts.ts";

export interface Conversion {
  readonly messages: readonly NewMessage[];
  readonly records: readonly ReceiptRecord[];
  /** The source of each message, in the same order; `null` for a message that was added. */
  readonly sources: readonly (Message | null)[];
  /** The thoughts among the messages, in their order. */
  readonly thoughts: readonly Thought[];
}

export interface ConversionOptions {
  /** The messages that the new session already has. */
  readonly before?: readonly Message[];
  /** The messages of the source that the target itself wrote. */
  readonly own?: ReadonlySet<Message>;
  /** Returns the place of a message, for the receipt. */
  readonly placeOf?: (message: Message) => string;
  /** Called with each converted message; returns the message to use instead. */
  readonly keep?: (message: NewMessage) => NewMessage;
}

export function convertMessages(
  source: readonly Message[],
  target: AgentName,
  options: ConversionOptions = {},
): Conversion {
  const { before = [], own, placeOf = firstPlaceOf, keep = itself } = options;
  const records: ReceiptRecord[] = [];
  const thoughts: Thought[] = [];
  const rules = agentOf(target).accepts;
  const work: ConversionContext = {
    rules,
    names: createNames(rules, callIdsIn(before)),
    isOwn: (message) => own?.has(message) === true,
    note: (message, block, outcome, reason, made) => {
      const record = { place: placeOf(message), kind: kindOf(block), outcome, reason };
      records.push(record);
      if (made?.type !== "thinking") return;
      thoughts.push({ record, words: wordsOfThought(made) });
    },
    add: (kind, reason) => records.push({ place: "new session", kind, outcome: "rewritten", reason }),
  };
  const used = new Set<Message>();
  const outline = outlineOf(source);
  const converted = source.flatMap((message, at): ConvertedMessage[] => {
    if (used.has(message)) return [];
    if (message.role === "tool") return orphaned(message, message.content, work);
    const made =
      message.role === "assistant"
        ? toAnswer(message, resultsOf({ source, at, outline }, used), work)
        : toPrompt(message, work);
    return made.map((one) => ({ ...one, made: keep(one.made) }));
  });
  const all = before.length > 0 ? converted : beginWithUser(converted, work);
  return { messages: all.map(({ made }) => made), sources: all.map(({ of }) => of), records, thoughts };
}

function itself(message: NewMessage): NewMessage {
  return message;
}

interface ConvertedMessage {
  readonly made: NewMessage;
  readonly of: Message | null;
}

function firstPlaceOf(message: Message): string {
  return placeText(message.metadata.records);
}

function callIdsIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === "tool_call" ? [block.id] : [])),
  );
}

function orphaned(
  message: Message,
  content: readonly Block[],
  { note }: ConversionContext,
): ConvertedMessage[] {
  for (const block of toldApart(content)) note(message, block, "dropped", "no call of this id waits for it");
  return [];
}

function toPrompt(message: Message, work: ConversionContext): ConvertedMessage[] {
  const content = fitBlocks(message, message.content, { work, where: "prompt" });
  if (content.length === 0) return [];
  return [{ made: { role: "user", content, ...factsOf(message), ...ownFacts(message, work) }, of: message }];
}

/** If an answer contains results (of tools that the vendor ran), the part after them becomes another answer. */
function toAnswer(
  message: Message,
  results: readonly Message[],
  work: ConversionContext,
): ConvertedMessage[] {
  const inline = message.content.filter((block) => block.type === "tool_result");
  const steps = stepsOf(message.content).flatMap((said): AnswerStep[] => {
    const content = fitBlocks(message, said, { work, where: "answer" });
    return content.length === 0 ? [] : [{ said, content }];
  });
  if (steps.length === 0) return orphaned(message, inline, work);
  const told = sourcesOf(message, inline, results);
  const order = [...told.keys()];
  const made = steps.flatMap((step, at) => {
    const { usage, stopReason } = at === steps.length - 1 ? message : {};
    const answer: NewMessage = {
      role: "assistant",
      content: step.content,
      ...factsOf(message),
      ...present({ usage, model: modelOf(message, work), stopReason }),
      ...ownFacts(message, work),
    };
    return [{ made: answer, of: message }, ...toReplies(step, { told, order, message, work })];
  });
  const unasked = [...told.values()].flat().map(({ block }) => block);
  orphaned(message, unasked, work);
  return made;
}

interface AnswerStep {
  readonly said: readonly Block[];
  readonly content: readonly Block[];
}

/** Returns the parts of an answer between its results, without the results. */
function stepsOf(content: readonly Block[]): Block[][] {
  const steps: Block[][] = [];
  let isAnswered = true;
  for (const block of content) {
    if (block.type !== "tool_result") {
      if (isAnswered) steps.push([]);
      steps.at(-1)?.push(block);
    }
    isAnswered = block.type === "tool_result";
  }
  return steps;
}

function modelOf(message: Message, work: ConversionContext): string | undefined {
  return work.rules.namesModel || work.isOwn(message) ? message.model : undefined;
}

interface ReplyContext {
  readonly told: Map<string, ResultSource[]>;
  /** Ids of calls, in the order of their results. */
  readonly order: readonly string[];
  readonly message: Message;
  readonly work: ConversionContext;
}

function toReplies(
  { said, content }: AnswerStep,
  { told, order, message, work }: ReplyContext,
): ConvertedMessage[] {
  const calls = content.filter((block) => block.type === "tool_call");
  const paired = said
    .filter((block) => block.type === "tool_call")
    .map((original, at) => ({ original, call: calls[at] }))
    .sort((a, b) => rank(order, a.original.id) - rank(order, b.original.id));
  const further: Block[] = [];
  const replies = paired.flatMap(({ original, call }): ConvertedMessage[] => {
    if (call === undefined) return [];
    const source = told.get(original.id)?.shift() ?? null;
    const { reply, moved } = toReply(call, source, { message, work });
    further.push(...moved);
    return [{ made: reply, of: source?.message ?? message }];
  });
  if (further.length === 0) return replies;
  return [...replies, { made: { role: "user", content: further, ...factsOf(message) }, of: message }];
}

interface Reply {
  readonly reply: NewMessage;
  /** Blocks that the target accepts only in a message of the user. */
  readonly moved: readonly Block[];
}

const NO_RESULT = "[No result of this call was recorded.]";

function toReply(
  call: ToolCallBlock,
  source: ResultSource | null,
  { message, work }: { readonly message: Message; readonly work: ConversionContext },
): Reply {
  const facts = { toolName: call.name, toolInput: call.args };
  if (source === null) {
    work.add("tool_result", `no result of the call ${call.id} is recorded: a result that says so is added`);
    const content: Block[] = [{ type: "text", text: NO_RESULT }];
    const block: Block = { type: "tool_result", toolCallId: call.id, content, isError: true };
    return { reply: { role: "tool", content: [block], ...facts, ...factsOf(message) }, moved: [] };
  }
  const { content, moved } = fitResult(source.message, source.block, work);
  const { isError, status, details } = source.block;
  const block: Block = {
    type: "tool_result",
    toolCallId: call.id,
    content,
    isError,
    ...present({ status }),
    ...(details === undefined || !work.isOwn(source.message) ? {} : { details }),
  };
  return { reply: { role: "tool", content: [block], ...facts, ...factsOf(source.message) }, moved };
}

function factsOf({ timestamp }: Message): Pick<NewMessage, "timestamp"> {
  return timestamp === undefined ? {} : { timestamp };
}

/** Returns the agent's own facts about its message, for example the model's provider. */
function ownFacts(message: Message, { isOwn }: ConversionContext): Pick<NewMessage, "metadata"> {
  return isOwn(message) ? { metadata: message.metadata } : {};
}

function beginWithUser(
  converted: readonly ConvertedMessage[],
  { add }: ConversionContext,
): readonly ConvertedMessage[] {
  const [first] = converted;
  if (first === undefined || first.made.role === "user") return converted;
  add("text", "the conversation begins with an answer: a prompt that says so is added");
  const { timestamp } = first.made;
  const content: Block[] = [{ type: "text", text: PROMPT_BEFORE_ANSWER }];
  const made: NewMessage = present({ role: "user", content, timestamp });
  return [{ made, of: null }, ...converted];
}
