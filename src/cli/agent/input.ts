/** One input of an agent in a channel, from its claim to the end of its run. */

import type { EarlierTurn, Talk } from "@continuo/agents/conversations";
import { type AgenticClient, type ClientEvent, formatMessages, quotedMessages } from "@continuo/core/client";
import { isContinuoError, isTurnComplete, present } from "@continuo/core/model";
import type { ChannelMessage, ClaimedInput } from "@continuo/core/wire";
import { accessOf, callServer, channelPath, type ServerFlags } from "../channel/index.ts";
import type { Shell } from "../terminal/index.ts";
import { Answer } from "./answer.ts";
import type { JoinFlags } from "./flags.ts";
import type { MissedMessages } from "./missed-messages.ts";

export interface JoinedChannel {
  readonly client: AgenticClient;
  readonly talk: Talk;
  readonly channel: string;
  readonly flags: JoinFlags & ServerFlags;
  readonly shell: Shell;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
  readonly unheard: MissedMessages;
}

export type Input = Extract<ClientEvent, { readonly type: "message" | "complete" }> & {
  readonly sequence: number;
};

export function isInput(event: ClientEvent): event is Input {
  if (!event.addressed || event.sequence === undefined) return false;
  return event.type === "complete" || (event.type === "message" && event.state === "complete");
}

/**
 * `knows`: true if the agent's session already has earlier messages of the channel. Returns true if the agent has
 * received this input, and false if the input was already done.
 */
export async function answerInput(joined: JoinedChannel, event: Input, knows: boolean): Promise<boolean> {
  const { client, talk, flags, channel, unheard } = joined;
  const claim = await client.claimInput(event.sequence, claimOf(flags));
  // Messages before an input are sent to the agent with it, or were sent with it before a crash.
  const missed = unheard.takeBefore(event.sequence);
  if (claim.state === "done") return false;
  const inputId = `${channel}/${flags.as}/${event.sequence}`;
  const earlier = claim.attempt > 1 ? await talk.earlierTurn(inputId) : null;
  const answer = new Answer({ client, answerId: claim.answerId, replyTo: claim.messageId });
  const turn: ClaimedTurn = { claim, sequence: event.sequence, inputId, answer, words: "" };
  if (earlier !== null && ENDED.has(earlier.status)) await say(joined, turn, earlier);
  else if (earlier?.status === "interrupted" || earlier?.status === "cancelled") {
    // The agent gets the same prompt, with the messages that were missed before it, but not the interrupted turn.
    await ask(joined, { ...turn, words: earlier.input, retryOf: earlier.runId });
  } else {
    const before = knows ? missed : await channelContext(joined, event.sequence);
    const words = [before, `${claim.from} in the channel ${channel}:`, claim.content];
    await ask(joined, { ...turn, words: words.filter((part) => part !== "").join("\n\n") });
  }
  return true;
}

function claimOf({ agent, maxTurns }: JoinFlags): Parameters<AgenticClient["claimInput"]>[1] {
  return present({ agent, maxTurns });
}

/** The agent answered, or failed, before this process started: it is not asked again. */
const ENDED: ReadonlySet<EarlierTurn["status"]> = new Set(["completed", "failed", "timeout"]);

interface ClaimedTurn {
  readonly claim: Extract<ClaimedInput, { readonly state: "claimed" }>;
  readonly sequence: number;
  readonly inputId: string;
  readonly answer: Answer;
  /** The prompt of the agent. */
  readonly words: string;
  readonly retryOf?: string;
}

async function ask(joined: JoinedChannel, turn: ClaimedTurn): Promise<void> {
  const { talk, flags, channel, signal } = joined;
  const { words, answer, inputId, retryOf } = turn;
  try {
    await keepSession(joined, `${flags.as} in ${channel}`);
    const { result } = await talk.say(words, {
      onEvent: (one) => answer.receive(one),
      signal,
      inputId,
      ...present({ retryOf }),
    });
    // If the agent is stopped before the answer is stored, its next join takes the input.
    const isAnswered = isTurnComplete(result.status);
    if (!isAnswered) signal.throwIfAborted();
    await keepSession(joined, "");
    if (isAnswered) await complete(joined, turn);
    else await fail(joined, turn, result.status === "failed" ? result.error.message : result.status);
  } catch (error) {
    if (signal.aborted) return;
    if (!isContinuoError(error) || error.code === "handle_taken" || error.code === "unavailable") throw error;
    await fail(joined, turn, error.message);
  }
}

/**
 * The server records the session before the agent is asked, so that after a crash the next join finds the turn in it.
 */
async function keepSession({ client, talk }: JoinedChannel, title: string): Promise<void> {
  if (talk.session === null) await talk.setTitle(title);
  const sessionId = talk.session?.sessionId;
  if (sessionId !== undefined && sessionId !== client.sdkSessionId) await client.updateSdkSession(sessionId);
}

/** Sends the channel what the agent wrote before a crash. */
async function say(joined: JoinedChannel, turn: ClaimedTurn, earlier: EarlierTurn): Promise<void> {
  if (earlier.status !== "completed") {
    return await fail(joined, turn, earlier.reason || earlier.status);
  }
  await hearWhole(turn.answer, earlier.answer);
  await complete(joined, turn);
}

async function hearWhole(answer: Answer, text: string): Promise<void> {
  if (text !== "") await answer.receive({ type: "message", content: [{ type: "text", text }] });
}

async function complete(joined: JoinedChannel, turn: ClaimedTurn): Promise<void> {
  await deliver(joined, turn, { status: "completed", answer: turn.answer.text });
}

/** The participant that asked is informed that there is no answer, and the agent takes the next input. */
async function fail(joined: JoinedChannel, turn: ClaimedTurn, message: string): Promise<void> {
  joined.note(`the agent could not answer: ${message}`);
  await hearWhole(turn.answer, `(I could not answer: ${message})`);
  await deliver(joined, turn, { status: "failed", error: { code: "agent_failed", message } });
}

type End = Parameters<AgenticClient["endRun"]>[1];

async function deliver(
  { client, flags }: JoinedChannel,
  { claim, sequence, answer }: ClaimedTurn,
  end: End,
): Promise<void> {
  try {
    await answer.end();
    return await client.endRun(claim.runId, end);
  } catch (error) {
    if (!isContinuoError(error, "conflict")) throw error;
  }
  // The connection was lost for so long that the server interrupted the answer: the whole answer is sent again.
  const again = await client.claimInput(sequence, claimOf(flags));
  if (again.state === "done") return;
  const whole = new Answer({ client, answerId: again.answerId, replyTo: again.messageId });
  await hearWhole(whole, answer.text);
  await whole.end();
  await client.endRun(again.runId, end);
}

const CONTEXT_MESSAGES = 100;

/**
 * Reads the messages in the channel before an input, for an agent that has no session for the channel on this machine.
 */
async function channelContext({ flags, shell, channel }: JoinedChannel, before: number): Promise<string> {
  const path = channelPath(channel, `/messages?limit=${CONTEXT_MESSAGES}`);
  const { messages } = await callServer(await accessOf(flags, shell), path);
  const list = messages as readonly {
    readonly sequence: number;
    readonly handle: string | null;
    readonly content: string;
    readonly messageId: string;
    readonly timestamp: string;
    readonly state: ChannelMessage["state"];
  }[];
  const earlier = list.filter(
    ({ sequence, state }) => sequence < before && state !== "open" && state !== "deleted",
  );
  return quotedMessages(
    formatMessages(earlier.map((message) => ({ ...message, from: message.handle }))).formatted,
  );
}
