/** The context of the tools: the places of sessions, and which of them the caller may see. */

import type { PlacesAt } from "@continuo/files";

export interface ToolContext {
  readonly places: PlacesAt;
  /** Patterns of sessions that no tool may show, as `excludes` takes them; read for each call. */
  exclude(): Promise<readonly string[]>;
  /** Called when a search read many sessions from their files. */
  onUnindexed(): void;
  /** Turns the text after `since:` into a time. Errors: `usage`. */
  toTime(text: string): string;
  /** Returns the text without its secrets. */
  mask(text: string): string;
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** `shown` if the caller may see Continuo's own sessions. */
  readonly ownSessions: "shown" | "hidden";
  /** The milliseconds after which a regular expression is stopped, because other requests wait until then. */
  readonly regexMs: number;
  /** The process of the agent that asks, or one below it; `null` if the caller is not such a process. */
  readonly callerPid: number | null;
  /** Questions to agents in channels; `null` if no person allowed them. */
  readonly asking: QuestionChannels | null;
}

/** A question in a channel. */
export interface QuestionMessage {
  readonly channel: string;
  /** The handle of the agent that receives the question. */
  readonly to: string;
  readonly messageId: string;
}

export interface QuestionChannels {
  /** The channels that a person opened for questions. */
  readonly channels: readonly string[];
  /** The handles of agents that are present now. Errors: those of the server; `unavailable`. */
  present(channel: string): Promise<readonly string[]>;
  /**
   * The message is durable when this resolves; a message with the same id is sent only once. Errors: those of the
   * server; `unavailable`.
   */
  ask(message: QuestionMessage & { readonly content: string }): Promise<void>;
  /** The complete reply of the agent; `null` as long as there is none. Errors: those of the server; `unavailable`. */
  replyTo(asked: QuestionMessage): Promise<{
    readonly content: string;
    readonly state: "complete" | "interrupted";
    /** ISO 8601. */
    readonly at: string;
  } | null>;
}
