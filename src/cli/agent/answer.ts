/**
 * One answer of the agent in a channel. Its parts are sent as they arrive, and the whole text at the end, under the
 * run's own id.
 */

import type { AgenticClient } from "@continuo/core/client";
import { type AgentEvent, isContinuoError, textOf } from "@continuo/core/model";

export interface AnswerOptions {
  readonly client: AgenticClient;
  /** The id of the message that has the answer. */
  readonly answerId: string;
  readonly replyTo: string;
}

export class Answer {
  readonly #options: AnswerOptions;
  #text = "";
  /** The id of the agent's current message, and whether it came in parts. */
  #messageId: string | undefined;
  #inParts = false;
  #opened: Promise<unknown> | null = null;
  #failure: { readonly error: unknown } | null = null;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  get text(): string {
    return this.#text;
  }

  /**
   * Adds the agent's next words. Rejects when the channel no longer accepts this agent's messages, so that the agent
   * can stop. If the server interrupted the answer while there was no connection, the rest of it is still read.
   */
  async receive(event: AgentEvent): Promise<void> {
    this.#assertOpen();
    if (event.type === "text") {
      this.#next(event.messageId, true);
      this.#add(event.delta);
    } else if (event.type === "message") {
      const isRepeated = this.#inParts && event.messageId === this.#messageId;
      const said = textOf(event.content);
      if (!isRepeated && said !== "") {
        this.#next(event.messageId, false);
        this.#add(said);
      }
      this.#inParts = false;
      this.#messageId = undefined;
    } else if (event.type === "tool_call") {
      this.#messageId = undefined;
      this.#inParts = false;
    }
    await this.#opened;
  }

  /** Completes the answer in the channel. Errors: `conflict` if the server interrupted it. */
  async end(): Promise<void> {
    if (this.#opened === null) return;
    await this.#opened;
    this.#assertOpen();
    await this.#options.client.complete(this.#options.answerId);
  }

  #assertOpen(): void {
    if (this.#failure !== null && !isContinuoError(this.#failure.error, "conflict"))
      throw this.#failure.error;
  }

  /** Another message of the agent begins a paragraph. */
  #next(messageId: string | undefined, inParts: boolean): void {
    const isSame = this.#inParts && inParts && messageId === this.#messageId;
    if (!isSame && this.#text !== "") this.#add("\n\n");
    this.#messageId = messageId;
    this.#inParts = inParts;
  }

  #add(delta: string): void {
    if (delta === "") return;
    const { client, answerId, replyTo } = this.#options;
    const keep = (error: unknown): void => {
      this.#failure ??= { error };
    };
    this.#opened ??= client.openMessage({ messageId: answerId, replyTo }).catch(keep);
    this.#text += delta;
    client.update(answerId, delta).catch(keep);
  }
}
