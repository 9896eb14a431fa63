/** The agent of the chaos tests: it reads and answers. */

import type { AgenticClient, ClientEvent } from "@continuo/core/client";
import { isContinuoError } from "@continuo/core/model";

export type Input = ClientEvent & { readonly sequence: number; readonly content: string };

export function isInput(event: ClientEvent): event is Input {
  if (!event.addressed || event.sequence === undefined) return false;
  return event.type === "complete" || (event.type === "message" && event.state === "complete");
}

/** Returns the text of a whole message, or `null` for any other event. */
export function wholeTextOf(event: ClientEvent): string | null {
  return event.type === "message" && event.state === "complete" ? event.content : null;
}

/** The agent claims an input, answers with a message in parts, and ends the run. */
export async function answer(client: AgenticClient, event: Input, giveUp: AbortSignal): Promise<void> {
  for (;;) {
    try {
      const claim = await client.claimInput(event.sequence, { agent: "chaos" });
      if (claim.state === "done") return;
      await client.openMessage({ messageId: claim.answerId, replyTo: claim.messageId });
      await client.update(claim.answerId, `to ${event.content.replaceAll("@", "")}`);
      await client.complete(claim.answerId);
      await client.endRun(claim.runId, { status: "completed", answer: event.content });
      return;
    } catch (error) {
      // The server interrupted the answer while there was no connection: the next claim gives the input again.
      // An agent that did not receive an earlier input is refused each time.
      // A server that does not reach its store reports this, and the next attempt may succeed.
      const mayPass = isContinuoError(error, "conflict") || isContinuoError(error, "unavailable");
      if (!mayPass || giveUp.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
