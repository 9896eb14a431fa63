/**
 * Messages in the form that the APIs of models require: each call has its result directly after it, in a message of its
 * own. The half answers of attempts are left out if a later attempt answered the same message.
 *
 * A call that the model's vendor ran has its result in the same message, but no API accepts it there; both become
 * messages of their own. Every API refuses a call without a result, which a killed agent leaves, and a result without a
 * call, so both are removed.
 */

import type { AgentRequest, Block, Message } from "../../model/index.ts";
import { toModelOrder, toUnits, type UnpairedCounts } from "./units.ts";

export interface ModelTurns {
  readonly messages: readonly Message[];
  /** The calls and results that were taken out, because the other half is missing. */
  readonly halves: UnpairedCounts;
  /** The system messages that an agent showed only to the person, such as a title: they are taken out. */
  readonly notices: number;
}

/** @param waiting ids of calls that wait for permission: they are kept without a result */
export function toModelTurns(messages: readonly Message[], waiting?: ReadonlySet<string>): ModelTurns {
  const current = withoutReplaced(messages).map(withoutReason);
  const said = current.filter((message) => !isNotice(message));
  const { units, halves } = toUnits(said.flatMap(separate), waiting);
  const members = units.flatMap((unit) => unit.members).sort((a, b) => a.position - b.position);
  const notices = current.length - said.length;
  return { messages: toModelOrder(members.map(({ message }) => message)), halves, notices };
}

/**
 * The note about a failure, as models and training data get it. Its reason can have the words of a provider or of an
 * agent's program, which name keys, addresses and limits: only people read them.
 */
export function withoutReason(message: Message): Message {
  const { note, agent } = message.metadata;
  if (note === "run_failed") return { ...message, content: [{ type: "text", text: "[The run failed.]" }] };
  // An error that no agent reported has a sentence of Continuo.
  if (note !== "error_raised" || agent === undefined) return message;
  return { ...message, content: [{ type: "text", text: "[The agent reported an error.]" }] };
}

/** Some agents give their model a notification as a message of the user: that one stays. */
function isNotice({ role, origin }: Message): boolean {
  return role === "system" && origin === "notification";
}

/** Divides an answer at the results that it contains: each result and each part between them becomes a message. */
function separate(message: Message): readonly Message[] {
  if (message.role !== "assistant") return [message];
  const made: Message[] = [];
  let content: Block[] = [];
  const flush = (): void => {
    if (content.length > 0) made.push({ ...message, content });
    content = [];
  };
  for (const block of message.content) {
    if (block.type === "tool_call") {
      const { ranBy: _, ...call } = block;
      content.push(call);
    } else if (block.type === "tool_result") {
      flush();
      made.push(resultOf(block, message));
    } else content.push(block);
  }
  flush();
  return made;
}

function resultOf(
  block: Extract<Block, { type: "tool_result" }>,
  { id, metadata, content }: Message,
): Message {
  const call = content.find((one) => one.type === "tool_call" && one.id === block.toolCallId);
  return {
    id: `${id}/${block.toolCallId}`,
    role: "tool",
    content: [block],
    toolCallId: block.toolCallId,
    ...(call?.type === "tool_call" ? { toolName: call.name } : {}),
    metadata,
  };
}

/** The parts of an agent's request that show whether there was an earlier attempt. */
export interface AttemptRequest {
  readonly run: Pick<AgentRequest["run"], "metadata"> & { readonly runId?: string };
  readonly transcript?: Pick<NonNullable<AgentRequest["transcript"]>, "messages">;
}

/** A conversation, divided where an earlier attempt at its newest message began. */
export interface EarlierAttempt {
  readonly before: readonly Message[];
  /** The messages of the attempts, and those that others wrote since. */
  readonly since: readonly Message[];
}

/** `null` if this is the first attempt, or if the earlier ones left nothing. */
export function earlierAttempt({ run, transcript }: AttemptRequest): EarlierAttempt | null {
  const messages = transcript?.messages ?? [];
  // Callers without a session may leave the metadata out.
  const { saidBy } = run.metadata ?? {};
  if (typeof saidBy !== "string") return null;
  // Only the last of several attempts is left, and its messages name this run as the next one.
  const first = messages.findIndex(
    ({ metadata }) =>
      metadata.runId === saidBy || (run.runId !== undefined && metadata.retriedBy === run.runId),
  );
  if (first === -1) return null;
  return { before: messages.slice(0, first), since: messages.slice(first) };
}

/**
 * Removes the half answers of attempts that were cut off, and the notes about them, if a later attempt at the same
 * message has ended (`metadata.replacedBy`). What the tools of these attempts did stays.
 */
export function withoutReplaced(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ metadata }) => metadata.replacedBy === undefined);
}
