/** The answers that a page has not seen to their end, so that they are streamed when it connects a second time. */

import type { UIMessage, UIMessageChunk } from "ai";

/** The state of a chat on the server. */
export interface ServerChat<Message extends UIMessage> {
  readonly messages: readonly Message[];
  /** Ids of answers that are not complete. */
  readonly open: readonly string[];
}

export class OpenAnswers {
  readonly #answers = new Set<string>();
  /** Ids of messages whose answer did not begin yet. */
  readonly #questions = new Set<string>();

  ask(messageId: string): void {
    this.#questions.add(messageId);
  }

  load(open: readonly string[]): void {
    this.#answers.clear();
    this.#questions.clear();
    for (const id of open) this.#answers.add(id);
  }

  /**
   * Returns a reader of the chunks of one stream; `messageId` is the message that the stream answers, if it is only
   * one.
   */
  reader(messageId: string | undefined): (chunk: UIMessageChunk) => void {
    let answer: string | undefined;
    return (chunk) => {
      if (chunk.type === "start" && chunk.messageId !== undefined) {
        // The stream has no end of an answer that failed if another answer follows.
        if (answer !== undefined) this.#answers.delete(answer);
        answer = chunk.messageId;
        this.#answers.add(answer);
        if (messageId !== undefined) this.#questions.delete(messageId);
      }
      const isEnd = chunk.type === "finish" || chunk.type === "abort" || chunk.type === "error";
      if (isEnd && answer !== undefined) this.#answers.delete(answer);
    };
  }

  /** The answers to stream, in the order of the chat. */
  missing<Message extends UIMessage>({ messages, open }: ServerChat<Message>): readonly string[] {
    return messages.flatMap(({ id, role }, place) => {
      if (role !== "assistant") return [];
      const question = messages[place - 1]?.id ?? "";
      const isMissing = this.#answers.has(id) || this.#questions.has(question) || open.includes(id);
      return isMissing ? [id] : [];
    });
  }
}
