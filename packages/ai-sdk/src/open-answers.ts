/** The answers that a page has not seen to their end, so that they are streamed when it connects a second time. */

import type { UIMessage, UIMessageChunk } from "ai";

/** A chat, as the server has it. */
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

  /** Takes the chunks of one stream; `messageId` is the message that it answers, where it is only one. */
  reader(messageId: string | undefined): (chunk: UIMessageChunk) => void {
    let answer: string | undefined;
    return (chunk) => {
      if (chunk.type === "start" && chunk.messageId !== undefined) {
        // The end of an answer that failed is not told before another one.
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
