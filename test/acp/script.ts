/** The script of the scripted agent; `scripted-program.ts` starts the agent. */

import type { AgentEvent, Block, Conversation } from "@continuo/core/model";

export type Json = Record<string, unknown>;

/** One step of an answer. In an update, `$WORDS` is the prompt, and `$END` its last 14 characters. */
export type ScriptStep =
  | { readonly update: Json; readonly times?: number; readonly sessionId?: string }
  /** `$PID` is the number of the agent's process, `$UUID` a new id. */
  | { readonly result: Json }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  /** The text is sent unchanged, without a line feed. */
  | { readonly raw: string }
  | { readonly stderr: string }
  | { readonly notify: Json }
  | { readonly waitMs: number }
  /** One message with this number of characters. */
  | { readonly huge: number }
  | { readonly silence: true }
  | { readonly untilCancelled: true }
  /** Waits until there is a file with this name next to the script. */
  | { readonly untilFile: string }
  /** Asks for a permission, and sends the answer back as text. */
  | { readonly ask: Json }
  /** Sends a request to the client, and sends the answer back as a line of text. */
  | { readonly request: string; readonly params: Json }
  /** Starts a process that leaves the agent's process group, and sends its number as text. */
  | { readonly startChild: true }
  /** From now on the agent ignores the end of its input, and every signal that can be ignored. */
  | { readonly deaf: true }
  /** Makes a file with this name next to the script. */
  | { readonly touch: string }
  /** Removes the file with this name next to the script. */
  | { readonly remove: string }
  /** If the folder of the script has no file of this name, the steps of `else` replace the rest of the answer. */
  | { readonly ifFile: string; readonly else: readonly ScriptStep[] }
  /**
   * If this process did not receive a request of this method before, the steps of `else` replace the rest of the
   * answer.
   */
  | { readonly ifAsked: string; readonly else: readonly ScriptStep[] }
  /** If the request has other parameters, the steps of `else` replace the rest of the answer. */
  | { readonly when: Json; readonly else: readonly ScriptStep[] }
  | { readonly die: number };

export interface Script {
  /** The answer to `initialize`. */
  readonly hello?: Json;
  /**
   * The agent reports the states of its turns, as version 2 requires: the steps of a prompt are a turn, and a result is
   * its end. Without this, a script of version 2 sends the answers and the states itself.
   */
  readonly states?: true;
  /** Modes and options of a new session, which the agent then lets its client set. */
  readonly session?: { readonly modes?: Json; readonly configOptions?: readonly Json[] };
  /** The keys are methods. */
  readonly answers?: Readonly<Record<string, readonly ScriptStep[]>>;
  /** The keys are prompts; `*` is anything else. */
  readonly prompts?: Readonly<Record<string, readonly ScriptStep[]>>;
}

export const say = (text: string): readonly Block[] => [{ type: "text", text }];
export const chunk = (text: string): ScriptStep => ({
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});
export const DONE: ScriptStep = { result: { stopReason: "end_turn" } };

/** Runs a turn to its end. */
export async function turn(conversation: Conversation, words: string): Promise<readonly AgentEvent[]> {
  return await Array.fromAsync(conversation.prompt(say(words)));
}

export function spoken(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.delta : "")).join("");
}

/** An answer to `initialize` of version 1. */
export function hello1(session: Json = {}, more: Json = {}): Json {
  return { protocolVersion: 1, agentCapabilities: { sessionCapabilities: session, ...more } };
}
