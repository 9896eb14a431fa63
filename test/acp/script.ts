/** The script of the scripted agent; `scripted.ts` starts it. */

import type { AgentEvent, Block, Conversation } from "@continuo/core/model";

export type Json = Record<string, unknown>;

/** One thing to do; an answer is done step by step. `$WORDS` in an update is what was said, `$END` its last 14 characters. */
export type ScriptStep =
  | { readonly update: Json; readonly times?: number; readonly sessionId?: string }
  /** `$PID` is the number of the agent's process, `$UUID` an id that nobody had. */
  | { readonly result: Json }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  /** The text is sent unchanged, without a line feed. */
  | { readonly raw: string }
  | { readonly stderr: string }
  | { readonly notify: Json }
  | { readonly waitMs: number }
  /** One message of so many characters. */
  | { readonly huge: number }
  | { readonly silence: true }
  | { readonly untilCancelled: true }
  /** Waits until there is a file with this name next to the script. */
  | { readonly untilFile: string }
  /** Asks for a permission, and says what was answered. */
  | { readonly ask: Json }
  /** Asks its client for something, and says the answer as a line. */
  | { readonly request: string; readonly params: Json }
  /** Starts a process that leaves the group, and says its number. */
  | { readonly startChild: true }
  /** From now on it hears neither the end of its input nor a signal that can be ignored. */
  | { readonly deaf: true }
  /** Makes a file with this name next to the script. */
  | { readonly touch: string }
  /** Without a file of this name next to the script, these steps are the whole answer. */
  | { readonly ifFile: string; readonly else: readonly ScriptStep[] }
  /** In a process that has not been asked for this method, these steps are the whole answer. */
  | { readonly ifAsked: string; readonly else: readonly ScriptStep[] }
  /** For any other request, these steps are the whole answer. */
  | { readonly when: Json; readonly else: readonly ScriptStep[] }
  | { readonly die: number };

export interface Script {
  /** The answer to `initialize`. */
  readonly hello?: Json;
  /**
   * The agent says the states of its turns, as version 2 wants it: the steps of a prompt are a turn, and a result is its
   * end. Without it, a script of version 2 has the answers and the states itself.
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

/** A turn to its end. */
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
