/**
 * Messages that a page sends again. A page cannot know whether the first request arrived: a message that the session
 * does not have is sent, and one that it has keeps its content, and its answer if that is complete.
 */

import { ContinuoError, isContinuoError } from "@continuo/core/model";
import type { SentMessage, ServedRun, ServedSession } from "../context/index.ts";
import type { SentChat } from "./input.ts";

/**
 * Checks a message for `regenerate()`. Errors: `invalid` without an id; `usage` for a message whose answer is complete,
 * and for a message that others follow: the page has removed those others, but the log keeps them.
 */
export async function assertUnanswered(session: ServedSession, { id }: Pick<SentChat, "id">): Promise<void> {
  if (id === undefined) throw new ContinuoError("invalid", "the message to answer again needs an id");
  const { messages, open } = await session.chat();
  const place = messages.findLastIndex((message) => message.role === "user" && message.id === id);
  if (place === -1) return;
  const [answer, ...later] = messages.slice(place + 1);
  const isEnded = answer !== undefined && answer.metadata === undefined && !open.includes(answer.id);
  if (answer !== undefined && !isEnded && later.length === 0) return;
  const name = JSON.stringify(id);
  throw new ContinuoError(
    "usage",
    `the message ${name} cannot be answered again: a session keeps its answers`,
    {
      hint: "Read the chat to see the answer, or send a new message.",
    },
  );
}

/** Resolves when the message is durable. Errors: `conflict` for a message that is not as it was sent first. */
export async function sentOnce(run: ServedRun, { id }: Pick<SentChat, "id">): Promise<SentMessage> {
  try {
    return await run;
  } catch (error) {
    if (id === undefined || !isContinuoError(error, "conflict")) throw error;
    const name = JSON.stringify(id);
    throw new ContinuoError(
      "conflict",
      `the message ${name} was sent with other words, or to another agent`,
      {
        hint: "Send a new message: one that was sent cannot be changed.",
        details: error.details,
        cause: error,
      },
    );
  }
}
