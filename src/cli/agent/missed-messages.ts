/** Messages in the channel that were not addressed to the agent: it receives them with its next input. */

import {
  type ClientEvent,
  formatMessages,
  type MissedMessage,
  missedAfter,
  quotedMessages,
} from "@continuo/core/client";

/** The newest messages are kept: as many as a person would scroll through, and as fit into a prompt. */
const MAX_MESSAGES = 1_000;
const MAX_CHARS = 1_048_576;

export class MissedMessages {
  #messages: MissedMessage[];
  #omitted: number;
  #chars: number;
  /** The agent has received all messages up to this sequence. */
  #heard = 0;

  /** Includes what was missed before the agent joined. */
  constructor(missed: readonly MissedMessage[], omitted: number) {
    this.#messages = [...missed];
    this.#omitted = omitted;
    this.#chars = charsOf(missed);
  }

  /**
   * Adds a complete message of others that is not addressed to the agent, or an interrupted one with its text so far.
   * An edit or a deletion changes the messages.
   */
  add(event: ClientEvent): void {
    if (event.type === "edited" || event.type === "deleted") {
      this.#messages = [...missedAfter(this.#messages, event, { after: this.#heard })];
      this.#chars = charsOf(this.#messages);
      return;
    }
    const message = event.own || event.addressed ? null : wholeMessage(event);
    if (message === null) return;
    this.#messages.push(message);
    this.#chars += message.content.length;
    while (this.#messages.length > MAX_MESSAGES || (this.#chars > MAX_CHARS && this.#messages.length > 1)) {
      this.#chars -= this.#messages.shift()?.content.length ?? 0;
      this.#omitted++;
    }
  }

  /** Takes the messages before a sequence as text for a prompt; empty if there are none. */
  takeBefore(sequence: number): string {
    const heard = this.#messages.filter((message) => message.sequence < sequence);
    const { formatted } = formatMessages(heard, { omitted: this.#omitted });
    this.#messages = this.#messages.filter((message) => message.sequence >= sequence);
    this.#chars = charsOf(this.#messages);
    this.#heard = sequence;
    this.#omitted = 0;
    return quotedMessages(formatted);
  }
}

function charsOf(messages: readonly MissedMessage[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0);
}

function wholeMessage(event: ClientEvent): MissedMessage | null {
  const { sequence, from, timestamp } = event;
  if (sequence === undefined) return null;
  const base = { sequence, from, timestamp };
  switch (event.type) {
    case "message":
      if (event.state === "open") return null;
      return { ...base, messageId: event.messageId, content: event.content, state: event.state };
    case "complete":
      return { ...base, messageId: event.messageId, content: event.content, state: "complete" };
    case "error":
      if (event.messageId === undefined || event.content === undefined) return null;
      return { ...base, messageId: event.messageId, content: event.content, state: "interrupted" };
    default:
      return null;
  }
}
