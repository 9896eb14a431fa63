/** Histories whose messages follow each other. */

import type { Message } from "@continuo/core/model";
import type { StepMessages } from "./port.ts";

/** The messages of all steps, each with the one before it as its parent. */
export async function* chainMessages(
  steps: AsyncIterable<StepMessages>,
): AsyncGenerator<Message, void, void> {
  let parentId: string | null = null;
  for await (const { messages } of steps) {
    for (const message of messages) {
      yield parentId === null ? message : { ...message, parentId };
      parentId = message.id;
    }
  }
}
