import { expect, test } from "vitest";
import { ContinuoError } from "../model/index.ts";
import type { ClientEvent } from "./events.ts";
import { iterateEvents } from "./hand-over.ts";
import { Inbox } from "./inbox.ts";
import { WholeMessages } from "./whole-messages.ts";

type Wish = { readonly parts?: boolean; readonly targetedOnly?: boolean };

async function handedOver(events: readonly object[], wish: Wish = {}): Promise<readonly string[]> {
  const queue = [...events];
  const inbox = { next: async () => queue.shift(), wake: () => undefined } as unknown as Inbox;
  const given: string[] = [];
  const iteration = iterateEvents({
    inbox,
    whole: new WholeMessages(),
    parts: false,
    targetedOnly: false,
    ...wish,
    begin: () => undefined,
    end: () => undefined,
    failure: () => null,
    onHandOver: () => undefined,
  });
  for await (const event of iteration) given.push(shown(event));
  return given;
}

function shown(event: ClientEvent): string {
  const { state, content } = event as { readonly state?: string; readonly content?: string };
  return [event.type, state, content].filter((part) => part !== undefined).join(" ");
}

const OPEN = { type: "message", messageId: "m", state: "open", content: "", addressed: true };
const PART = { type: "update", messageId: "m", addressed: false };
const END = { type: "complete", messageId: "m", content: "all", addressed: true };
const INTERRUPTED = { type: "error", messageId: "m", content: "so far", addressed: false };

test("a reader that asks for no parts gets a message once, at its end", async () => {
  expect(await handedOver([OPEN, PART, END])).toEqual(["message complete all"]);
  expect(await handedOver([OPEN, PART, INTERRUPTED])).toEqual(["message interrupted so far"]);
  expect(await handedOver([OPEN, PART])).toEqual([]);
});

test("an interrupted message is addressed to nobody, so that no agent answers half a question", async () => {
  const whole = new WholeMessages();
  const take = (event: object) => whole.take(event as ClientEvent, { parts: false });
  expect([take(OPEN), take(PART)]).toEqual([null, null]);
  expect(take(INTERRUPTED)).toMatchObject({ state: "interrupted", addressed: false, redelivered: false });
  expect(await handedOver([OPEN, PART, INTERRUPTED], { targetedOnly: true })).toEqual([]);
});

test("a reader that asks for parts gets each of them", async () => {
  const parts = ["message open ", "update", "complete all"];
  expect(await handedOver([OPEN, PART, END], { parts: true })).toEqual(parts);
});

test("a reader of only its own messages gets those that are addressed to it, and their later changes", async () => {
  const wish = { targetedOnly: true, parts: true };
  const other = (event: object): object => ({ ...event, messageId: "o", addressed: false });
  const all = [OPEN, other(OPEN), PART, other(PART), END, other(END), other(INTERRUPTED)];
  expect(await handedOver(all, wish)).toEqual(["message open ", "update", "complete all"]);
  expect(await handedOver([OPEN, INTERRUPTED, INTERRUPTED], wish)).toEqual(["message open ", "error so far"]);
  const plain = { type: "message", messageId: "p", state: "complete", content: "hello" };
  const addressed = [
    { ...plain, addressed: false },
    { ...plain, content: "@me", addressed: true },
  ];
  expect(await handedOver(addressed, wish)).toEqual(["message complete @me"]);
  const call = { type: "method_call", callId: "c", addressed: true };
  const cancel = { type: "method_cancel", callId: "c", addressed: false };
  expect(await handedOver([call, cancel, cancel], wish)).toEqual(["method_call", "method_cancel"]);
  expect(await handedOver([{ ...call, addressed: false }, cancel], wish)).toEqual([]);
});

test("the iteration ends with the error that ended the connection", async () => {
  const inbox = { next: async () => undefined, wake: () => undefined } as unknown as Inbox;
  const shared = { inbox, whole: new WholeMessages(), parts: false, targetedOnly: false };
  let over = 0;
  const failing = iterateEvents({
    ...shared,
    begin: () => undefined,
    onHandOver: () => undefined,
    end: () => {
      over += 1;
    },
    failure: () => new ContinuoError("unavailable", "the connection to the server was lost"),
  });
  await expect(failing.next()).rejects.toMatchObject({ code: "unavailable" });
  expect(over).toBe(1);
});

test("a reader of only its own messages gets changes of messages that were addressed to it, and no others", async () => {
  const wish = { targetedOnly: true, parts: true };
  const said = { type: "message", messageId: "m", state: "complete", content: "@me", addressed: true };
  const changes = ["edited", "deleted", "reaction"].map((type) => ({
    type,
    messageId: "m",
    addressed: false,
  }));
  expect(await handedOver([said, ...changes], wish)).toEqual(["message complete @me", "edited", "deleted"]);
  expect(await handedOver([{ ...said, addressed: false }, ...changes], wish)).toEqual([]);
  const own = changes.map((event) => ({ ...event, addressed: true }));
  expect(await handedOver(own, wish)).toEqual(["edited", "deleted", "reaction"]);
});

test("a message that names the reader only at its end comes as a whole message", async () => {
  const wish = { targetedOnly: true, parts: true };
  const begun = { ...OPEN, addressed: false };
  expect(await handedOver([begun, PART, END], wish)).toEqual(["message complete all"]);
  const edited = { type: "edited", messageId: "m", content: "less", addressed: false };
  expect(await handedOver([begun, END, edited], wish)).toEqual(["message complete all", "edited less"]);
});

test("only one reader can iterate the events at a time", async () => {
  const turns: string[] = [];
  const iteration = iterateEvents({
    inbox: { next: async () => END, wake: () => undefined } as unknown as Inbox,
    whole: new WholeMessages(),
    parts: true,
    targetedOnly: false,
    begin: () => turns.push("begin"),
    end: () => turns.push("end"),
    failure: () => null,
    onHandOver: () => turns.push("event"),
  });
  await iteration.next();
  expect(turns).toEqual(["begin", "event"]);
  await iteration.return();
  expect(turns).toEqual(["begin", "event", "end"]);
});

test("an iteration that is abandoned while it waits ends, and the next one gets the next events", async () => {
  const inbox = new Inbox({
    onArrival: () => undefined,
    toEvent: () => null,
    onTell: () => undefined,
    onFull: () => undefined,
    mayPause: () => false,
  });
  let isRunning = false;
  const iterate = (signal?: AbortSignal) =>
    iterateEvents({
      inbox,
      whole: new WholeMessages(),
      parts: false,
      targetedOnly: false,
      ...(signal === undefined ? {} : { signal }),
      begin: () => {
        isRunning = true;
      },
      end: () => {
        isRunning = false;
      },
      failure: () => null,
      onHandOver: () => undefined,
    });
  const stop = new AbortController();
  const waiting = iterate(stop.signal).next();
  stop.abort();
  expect([await waiting, isRunning]).toEqual([{ done: true, value: undefined }, false]);
  const later = iterate().next();
  inbox.put({ type: "message", messageId: "p", state: "complete", content: "hello" } as ClientEvent);
  expect(await later).toMatchObject({ value: { messageId: "p" } });
});

test("a reader of only its own messages gets the changes of each that addressed it, at its beginning, at its end or as a whole", async () => {
  const wish = { targetedOnly: true, parts: true };
  const changes = [
    { type: "edited", messageId: "m", addressed: false },
    { type: "deleted", messageId: "m", addressed: false },
  ];
  const mine = ["edited", "deleted"];
  const unnamed = (event: object): object => ({ ...event, addressed: false });
  expect((await handedOver([OPEN, unnamed(END), ...changes], wish)).slice(-2)).toEqual(mine);
  expect((await handedOver([unnamed(OPEN), END, ...changes], wish)).slice(-2)).toEqual(mine);
  const whole = { type: "message", messageId: "m", state: "complete", content: "@me", addressed: true };
  expect((await handedOver([whole, ...changes], wish)).slice(-2)).toEqual(mine);
  expect(await handedOver([unnamed(whole), ...changes], wish)).toEqual([]);
});
