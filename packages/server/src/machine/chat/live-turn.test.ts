import { HISTORY_LIMITS } from "@continuo/agents/pages";
import type { NewEvent, Store } from "@continuo/core/model";
import type { ChatEvent } from "@continuo/core/wire/machine";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LiveTurn, openLiveTurn } from "./live-turn.ts";

const ID = "session-1";

let store: Store;
beforeEach(async () => {
  store = await openStore("memory:");
  await store.createSession({ sessionId: ID });
});
afterEach(() => store.close());

const part = (delta: string, messageId = "m1"): NewEvent => ({
  type: "message_streamed",
  data: { messageId, delta },
});
const whole = (content: string, messageId = "m1"): NewEvent => ({
  type: "message_received",
  data: { messageId, content },
});
const asked = (content: string): NewEvent => ({ type: "message_sent", data: { content } });

async function say(...events: readonly NewEvent[]): Promise<void> {
  await store.append(ID, events);
}

async function begin(): Promise<LiveTurn> {
  const after = await store.latestSequence(ID);
  return await openLiveTurn(store, ID, { after, key: `continuo:${ID}` });
}

/** The texts of an event; `…` marks an unfinished message. */
function shown(event: ChatEvent): unknown {
  if (event.type === "token") return { token: event.text, from: event.from };
  if (event.type !== "messages") return event.type;
  return event.messages.map(({ message: { content, metadata } }) => {
    const texts = content.map((block) => (block.type === "text" ? block.text : block.type));
    return `${texts.join("|")}${metadata.partial === true ? "…" : ""}`;
  });
}

test("a page is sent the growth of a text, and the whole message when it ends", async () => {
  await say(asked("An earlier turn"), whole("An earlier answer", "m0"));
  const turn = await begin();
  await say(asked("Count to three"), part("one "));
  expect((await turn.news()).map(shown)).toEqual([["Count to three", "one …"]]);
  await say(part("two "));
  expect((await turn.news()).map(shown)).toEqual([{ token: "two ", from: 4 }]);
  expect(await turn.news()).toEqual([]);
  await say(whole("one two three"));
  expect((await turn.news()).map(shown)).toEqual([["one two three"]]);
  // A message can end with the text that it already has.
  await say(part("Done.", "m2"));
  await turn.news();
  await say(whole("Done.", "m2"));
  expect((await turn.news()).map(shown)).toEqual([["Done."]]);
});

test("a call between two texts reaches the page before the text after it", async () => {
  const turn = await begin();
  await say(asked("Fix the build"), part("I look at it."));
  await turn.news();
  const call = { toolCallId: "t1", toolName: "Bash", toolInput: { command: "make" }, messageId: "m1" };
  await say({ type: "tool_call_started", data: call }, part(" It fails."));
  expect((await turn.news()).map(shown)).toEqual([[expect.stringContaining("tool_call")]]);
});

test("a call whose input came together with more text after it reaches the page with that input", async () => {
  const turn = await begin();
  const call = (toolInput: object): NewEvent => ({
    type: "tool_call_started",
    data: { toolCallId: "t1", toolName: "Bash", toolInput, messageId: "m1" },
  });
  await say(asked("Fix the build"), call({}), part("It"));
  await turn.news();
  await say(call({ command: "make" }), part(" fails."));
  expect(JSON.stringify(await turn.news())).toContain("make");
});

test("a text that is longer than a window shows is sent as a cut message, and not piece by piece", async () => {
  const turn = await begin();
  await say(asked("Print it"), part("x".repeat(HISTORY_LIMITS.textChars - 1)));
  await turn.news();
  await say(part("yz"));
  const [event, ...others] = await turn.news();
  expect(others).toEqual([]);
  expect(event).toMatchObject({ type: "messages", messages: [{ cuts: [{}] }] });
});

test("no message of the turn has an id that a message of the history can have", async () => {
  await say(asked("why?"), whole("Because.", "m1"));
  const turn = await begin();
  await say(asked("why?"), whole("Because.", "m1"));
  const ids = (await turn.news()).flatMap((event) =>
    event.type === "messages" ? event.messages.map(({ message }) => message.id) : [],
  );
  expect(ids).toEqual(["live:4", "live:5"]);
});

test("a page that connects late gets the newest messages of a long turn", async () => {
  const turn = await begin();
  await say(...Array.from({ length: 250 }, (_, at) => whole(`Step ${at}`, `m${at}`)));
  const texts = (await turn.news()).flatMap((event) => shown(event) as readonly string[]);
  expect([texts.length, texts[0], texts.at(-1)]).toEqual([200, "Step 50", "Step 249"]);
});

test("a turn ends before the next run, even if the log has events of that run already", async () => {
  const turn = await begin();
  const started = (runId: string): NewEvent => ({ type: "run_started", runId, data: { agent: "echo" } });
  await say(started("r1"), asked("one"), whole("first"), started("r2"), asked("two"), whole("second", "m2"));
  expect((await turn.news()).map(shown)).toEqual([["one", "first"]]);
  expect(turn.upTo).toBe((await store.latestSequence(ID)) - 3);
  await say(whole("third", "m3"));
  expect(await turn.news()).toEqual([]);
});

test("the messages of a long turn come in several events of a bounded size", async () => {
  const turn = await begin();
  const long = "x".repeat(HISTORY_LIMITS.textChars);
  const count = Math.ceil(HISTORY_LIMITS.windowChars / HISTORY_LIMITS.textChars) + 2;
  await say(...Array.from({ length: count }, (_, at) => whole(long, `m${at}`)));
  const events = await turn.news();
  expect(events.length).toBeGreaterThan(1);
  expect(events.flatMap((event) => (event.type === "messages" ? event.messages : []))).toHaveLength(count);
});

test("a text that its writer replaced is sent as a whole", async () => {
  const turn = await begin();
  await say(asked("Count"), part("one "));
  await turn.news();
  await say({ type: "message_updated", data: { messageId: "m1", content: "two" } });
  expect(JSON.stringify((await turn.news()).map(shown))).not.toContain("one");
});
