/** A turn of another program, as an editor shows it from its stored events. */

import type { StoredEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { CallIds } from "./call-ids.ts";
import { LoggedTurn } from "./logged-turn.ts";

const event = (id: string, type: string, data: object) => ({ id, type, data }) as unknown as StoredEvent;
const QUESTION = [{ type: "text", text: "why?" }] as const;

function shownOf(turn: LoggedTurn, events: readonly StoredEvent[]): readonly unknown[] {
  return events
    .flatMap((one) => turn.of(one))
    .map((update) => ("content" in update ? [update.sessionUpdate, update.content] : update.sessionUpdate));
}

test.each([
  ["from the run and then from its event", true],
  ["from its event alone", false],
])("the prompt of another program is shown once, %s", (_, isOfRun) => {
  const turn = new LoggedTurn("run", new CallIds());
  const before = isOfRun ? turn.prompt(QUESTION) : [];
  const sent = event("e1", "message_sent", { role: "user", content: QUESTION });
  const answer = event("e2", "message_received", { content: "because" });
  const shown = [...before.map(({ sessionUpdate }) => sessionUpdate), ...shownOf(turn, [sent, sent, answer])];
  const kinds = shown.map((one) => (Array.isArray(one) ? one[0] : one));
  expect(kinds).toEqual(["user_message_chunk", "agent_message_chunk"]);
});
