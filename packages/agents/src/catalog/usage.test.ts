import type { Message, Usage } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { CatalogSession } from "./open-session.ts";
import { usageOf } from "./usage.ts";

const CALL: Usage = { inputTokens: 10, outputTokens: 5 };

interface Recorded {
  readonly role: "user" | "assistant";
  readonly at: string;
  readonly more?: Partial<Message>;
}

function sessionWith(recorded: readonly Recorded[], more: object = {}): CatalogSession {
  const messages = recorded.map(({ role, at, more: fields }, number): Message => {
    const content: Message["content"] = [{ type: "text", text: "words" }];
    return {
      id: String(number),
      role,
      content,
      timestamp: `2026-01-31T${at}:00.000Z`,
      metadata: {},
      ...fields,
    };
  });
  const details = { models: ["opus"], updatedAt: "2026-01-31T12:00:00.000Z", usage: null, ...more };
  return {
    details,
    leaves: [],
    async *history() {
      yield* messages;
    },
  } as unknown as CatalogSession;
}

const answer = (at: string, usage: Usage | undefined = CALL): Recorded => ({
  role: "assistant",
  at,
  more: { model: "opus", ...(usage === undefined ? {} : { usage }) },
});

async function hoursOf(session: CatalogSession): Promise<readonly unknown[]> {
  return (await usageOf(session)).map(({ hour, turns, usage }) => [
    hour?.slice(11),
    turns,
    usage.inputTokens,
  ]);
}

test("a prompt counts in its own hour, and its answer in the hour of the answer", async () => {
  const session = sessionWith([{ role: "user", at: "09:59" }, answer("10:01"), answer("10:02")]);
  expect(await hoursOf(session)).toEqual([
    ["09", 1, 0],
    ["10", 0, 20],
  ]);
});

test("a prompt without an answer is a turn", async () => {
  const session = sessionWith([
    { role: "user", at: "09:00" },
    answer("09:01"),
    { role: "user", at: "11:00" },
  ]);
  expect(await hoursOf(session)).toEqual([
    ["09", 1, 10],
    ["11", 1, 0],
  ]);
});

test("tokens of the session that are in no message are added at its last hour", async () => {
  const usage = { inputTokens: 25, outputTokens: 5 };
  const session = sessionWith([answer("09:01")], { usage });
  expect(await hoursOf(session)).toEqual([
    ["09", 0, 10],
    ["12", 0, 15],
  ]);
});

test("records that a fork shares with its source count for the source", async () => {
  const shared = {
    ...answer("09:01"),
    more: { model: "opus", usage: CALL, metadata: { records: [{ file: "a" }] } },
  };
  expect(await hoursOf(sessionWith([shared as unknown as Recorded, answer("10:01")]))).toEqual([
    ["10", 0, 10],
  ]);
});

test("two models are counted separately, and tokens that are in no message count for the session's model if it has only one", async () => {
  const haiku = { ...answer("09:02"), more: { model: "haiku", usage: CALL } };
  const models = async (session: CatalogSession): Promise<readonly unknown[]> =>
    (await usageOf(session)).map(({ model, usage }) => [model, usage.inputTokens]);
  const usage = { inputTokens: 25, outputTokens: 10 };
  expect(await models(sessionWith([answer("09:01"), haiku], { models: ["opus", "haiku"], usage }))).toEqual([
    ["opus", 10],
    ["haiku", 10],
    [null, 5],
  ]);
  expect(await models(sessionWith([], { usage }))).toEqual([["opus", 25]]);
});

test("a session whose messages have more tokens than its total gets none of either sign in addition", async () => {
  const usage = { inputTokens: 5, outputTokens: 5 };
  expect(await hoursOf(sessionWith([answer("09:01")], { usage }))).toEqual([["09", 0, 10]]);
  const more = { inputTokens: 5, outputTokens: 9 };
  expect(
    (await usageOf(sessionWith([answer("09:01")], { usage: more }))).map((one) => one.usage),
  ).toMatchObject([CALL, { inputTokens: 0, outputTokens: 4 }]);
});
