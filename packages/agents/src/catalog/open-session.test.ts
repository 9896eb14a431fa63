import type { Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { LookUpHit } from "./look-up.ts";
import { type CatalogSession, cutOffBy } from "./open-session.ts";

function message(id: string, origin?: Message["origin"]): Message {
  return {
    id,
    role: "user",
    content: [],
    metadata: {},
    ...(origin === undefined ? {} : { origin }),
  } as Message;
}

/** A native session whose model is sent the messages with these ids. */
function opened(messages: readonly Message[], sent: readonly string[]): readonly [LookUpHit, CatalogSession] {
  const modelView = (all: readonly Message[]): readonly Message[] =>
    all.filter(({ id }) => sent.includes(id));
  const hit = { kind: "native", native: { reader: { modelView } } } as unknown as LookUpHit;
  async function* history(): AsyncGenerator<Message, void, void> {
    yield* messages;
  }
  return [hit, { history } as unknown as CatalogSession];
}

test("only messages before the last summary that are no longer sent are cut off", async () => {
  const messages = [
    message("a"),
    message("first", "summary"),
    message("b"),
    message("kept"),
    message("last", "summary"),
    message("hint"),
    message("c"),
  ];
  // Agents leave out some of their own notes after a summary as well: those were not cut off by it.
  expect(await cutOffBy(...opened(messages, ["kept", "last", "c"]))).toEqual(new Set(["a", "b"]));
  expect(await cutOffBy(...opened([message("a")], []))).toEqual(new Set());
});
