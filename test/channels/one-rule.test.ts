/**
 * The server, late readers and the viewer fold the log of a channel, and all get the same messages, even if the log has
 * events on other people's messages that bypassed the server's checks.
 */

import type { NewEvent, StoredEvent } from "@continuo/core/model";
import { channelLogId, isByWriter, toWireEvent } from "@continuo/core/wire";
import { openStore } from "@continuo/store";
import { openChannel, readMessages } from "@continuo/store/channels";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Channel, EMPTY_CHANNEL, foldEvent } from "../../packages/core/src/client/channel-fold.ts";
import { toClientEvent } from "../../packages/core/src/client/events.ts";
import { EMPTY_STATE, foldChannel } from "../../packages/store/src/channels/state.ts";

const WRITERS = ["ann", "bob"] as const;
const TYPES = [
  ...(["sent", "streamed", "streamed", "updated", "completed", "interrupted", "edited", "deleted"] as const),
  ...(["added", "removed"] as const),
] as const;

interface RuleStep {
  readonly author: (typeof WRITERS)[number] | "system";
  readonly message: number;
  readonly type: (typeof TYPES)[number];
  readonly text: string | undefined;
}

const step: fc.Arbitrary<RuleStep> = fc.record({
  author: fc.constantFrom(...WRITERS, "system" as const),
  message: fc.nat({ max: 2 }),
  type: fc.constantFrom(...TYPES),
  text: fc.option(fc.string({ maxLength: 4 }), { nil: undefined, freq: 8 }),
});

function toEvent({ author, message, type, text }: RuleStep, index: number): NewEvent {
  const messageId = `m${message}`;
  const actor = author === "system" ? { kind: "system" as const } : { kind: "person" as const, id: author };
  if (type === "sent")
    return { id: messageId, type: "message_sent", actor, data: { content: "", state: "open" } };
  if (type === "added" || type === "removed") {
    const data = { messageId, reaction: (text ?? "").length > 2 ? "👍" : "👀" };
    return { id: `e${index}`, type: `reaction_${type}`, actor, data };
  }
  const data = type === "streamed" ? { messageId, delta: text } : { messageId, content: text };
  return { id: `e${index}`, type: `message_${type}`, actor, data: JSON.parse(JSON.stringify(data)) };
}

/**
 * A person begins each message once. Later events are about messages in progress, as in a log that a server wrote, or
 * about finished messages.
 */
function toEvents(steps: readonly RuleStep[]): readonly NewEvent[] {
  const begun = new Set<number>();
  const writers = new Map<number, string>();
  const isWritten = ({ author, message, type }: RuleStep): boolean => {
    if (type === "sent") {
      if (author === "system" || begun.has(message)) return false;
      begun.add(message);
      writers.set(message, author);
      return true;
    }
    if (CHANGES.has(type)) return begun.has(message);
    const writer = writers.get(message);
    const isEnd = type === "interrupted" ? author === "system" : type === "completed" && author === writer;
    if (isEnd) writers.delete(message);
    return writer !== undefined;
  };
  return steps.filter(isWritten).map(toEvent);
}

const CHANGES: ReadonlySet<string> = new Set(["edited", "deleted", "added", "removed"]);

type Texts = Readonly<Record<string, readonly unknown[]>>;

function viewed(events: readonly StoredEvent[]): Channel {
  const known = new Map<string, string | null>();
  let channel = EMPTY_CHANNEL;
  for (const event of events) {
    const made = toClientEvent(toWireEvent(event), { handle: null, processed: 0, received: 0 }, known);
    if (made === null) continue;
    if (made.type === "message" && made.state === "open") known.set(made.messageId, made.from);
    if ((made.type === "complete" || made.type === "error") && made.messageId !== undefined)
      known.delete(made.messageId);
    channel = foldEvent(channel, made);
  }
  return channel;
}

function textsIn({ messages, open }: Channel): Texts {
  return Object.fromEntries(
    messages.map(({ messageId, state, content, editedAt, reactions }) => [
      messageId,
      [state, state === "open" ? (open.get(messageId)?.text ?? "") : content, editedAt, reactions],
    ]),
  );
}

test("the server, a late reader and the viewer see the same text, state and reactions of each message", async () => {
  const store = await openStore("memory:", { workspaceId: "w" });
  let tries = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      const name = `team ${++tries}`;
      await openChannel(store, name);
      const added = toEvents(steps);
      const events = added.length === 0 ? [] : await store.append(channelLogId(name), added);
      const { messages } = await readMessages(store, name, { limit: 100 });
      const late: Texts = Object.fromEntries(
        messages.map(({ messageId, state, content, editedAt, reactions }) => [
          messageId,
          [state, content, editedAt, reactions],
        ]),
      );
      const server = Object.values(events.reduce(foldChannel, EMPTY_STATE).open);
      expect(Object.fromEntries(server.map(({ messageId, text }) => [messageId, ["open", text]]))).toEqual(
        Object.fromEntries(
          Object.entries(late).flatMap(([id, [state, text]]) =>
            state === "open" ? [[id, [state, text]]] : [],
          ),
        ),
      );
      expect(textsIn(viewed(events))).toEqual(late);
    }),
  );
  await store.close();
});

test.each([
  ["message_streamed", { kind: "person", id: "ann" }, true],
  ["message_updated", { kind: "person", id: "ann" }, true],
  ["message_completed", { kind: "person", id: "ann" }, true],
  ["message_interrupted", { kind: "system" }, true],
  ["message_streamed", { kind: "person", id: "bob" }, false],
  ["message_updated", { kind: "system" }, false],
  ["message_completed", { kind: "agent", id: "bob" }, false],
  ["message_completed", { kind: "system" }, false],
  ["message_interrupted", { kind: "person", id: "ann" }, false],
] as const)("%s by %o changes a message of ann: %s", (type, actor, expected) => {
  expect(isByWriter({ type, actor }, "ann")).toBe(expected);
});
