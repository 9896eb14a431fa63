/**
 * Tells which messages of a native session belong to turns of Continuo, and which to turns of the agent's own program.
 * Both can be in one file, one after the other or mixed. Pure.
 *
 * - A prompt belongs to Continuo if a run of that time had the same input.
 * - An answer belongs to Continuo if the log has its id, one of its calls, or its text in a run of that time.
 * - Any other message belongs to the prompt that it names as its parent, or else to the prompt before it.
 */

import { type Message, textOf } from "@continuo/core/model";
import { messageKind } from "@continuo/core/transcript";
import { flat, isDuring, matchPrompt, PROMPT_MATCHES, type SentPrompt } from "./sent-prompts.ts";

/** A run of Continuo's session. */
export interface OwnRun extends SentPrompt {
  /** True if the run took place in this native session. */
  readonly isHere: boolean;
  /** The texts of its answers, without extra white space. */
  readonly answers: ReadonlySet<string>;
}

/** The part of the log that names messages of the native session. */
export interface OwnRecords {
  /** Oldest first. */
  readonly runs: readonly OwnRun[];
  /** The ids of messages that the log has, except those that were taken over. */
  readonly ids: ReadonlySet<string>;
  /** The ids of messages that were taken over from turns of the agent's own program. */
  readonly taken: ReadonlySet<string>;
  /** The ids of the calls in messages that were not taken over. */
  readonly calls: ReadonlySet<string>;
}

/**
 * Returns the turns of the agent's own program, oldest first, each with its prompt. Messages before the first one that
 * the log knows are left out: they are a copy of the conversation, or older than what was imported.
 */
export function turnsOfProgram(
  messages: readonly Message[],
  own: OwnRecords,
): readonly (readonly Message[])[] {
  const sent = promptsOf(messages, own.runs);
  const turns: Message[][] = [];
  const byPrompt = new Map<string, Message[] | null>();
  let turn: Message[] | null = null;
  let isBegun = false;
  for (const message of messages) {
    const { id, parentId = "" } = message;
    const isTaken = own.taken.has(id);
    const isKnown = !isTaken && own.ids.has(id);
    if (messageKind(message) === "person") {
      const run = sent.get(id);
      isBegun ||= isTaken || isKnown || run?.isHere === true;
      turn = isBegun && !isKnown && run === undefined ? [message] : null;
      if (turn !== null) turns.push(turn);
      byPrompt.set(id, turn);
    } else if (isKnown || (!isTaken && isAnswerOf(message, own))) isBegun = true;
    else (byPrompt.has(parentId) ? byPrompt.get(parentId) : turn)?.push(message);
  }
  return turns;
}

/** The prompts of runs, by the ids of their messages. Each run has one prompt, and the newest run the newest one. */
function promptsOf(messages: readonly Message[], runs: readonly OwnRun[]): ReadonlyMap<string, OwnRun> {
  const left = messages.filter((message) => messageKind(message) === "person").reverse();
  const sent = new Map<string, OwnRun>();
  const open = new Set(runs.toReversed());
  for (const match of PROMPT_MATCHES) {
    for (const run of open) {
      const at = left.findIndex((message) => matchPrompt(message, run) === match);
      const [prompt] = at === -1 ? [] : left.splice(at, 1);
      if (prompt === undefined) continue;
      sent.set(prompt.id, run);
      open.delete(run);
    }
  }
  return sent;
}

function isAnswerOf(message: Message, { runs, calls }: OwnRecords): boolean {
  const { content } = message;
  const isOfCall = content.some(
    (block) =>
      (block.type === "tool_call" && calls.has(block.id)) ||
      (block.type === "tool_result" && calls.has(block.toolCallId)),
  );
  if (isOfCall) return true;
  const text = flat(textOf(content));
  return text !== "" && runs.some((run) => run.isHere && isDuring(message, run) && run.answers.has(text));
}
