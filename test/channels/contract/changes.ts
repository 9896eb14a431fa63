/** Edits, deletions, reactions, and content with blocks besides text. */

import type { Block } from "@continuo/core/model";
import { CHANNEL_LIMITS, type MessagesWindow, parseScope, recordOf } from "@continuo/core/wire";
import { expect } from "vitest";
import { openServer } from "../../server/harness/open-server.ts";
import { take } from "../open-channel.ts";
import { type ChannelCase, LOG, typesIn } from "./case.ts";
import { hello, openRaw } from "./raw.ts";

async function messagesAt(url: string, query = ""): Promise<MessagesWindow["messages"]> {
  const response = await fetch(`${url}/v1/channels/team/messages${query}`);
  return ((await response.json()) as MessagesWindow).messages;
}

export const changeCases: readonly ChannelCase[] = [
  {
    id: "MSG-10",
    title: "only its author edits a message, after its end and before its deletion",
    run: async ({ url, join }, store) => {
      const ann = await join("ann");
      const bob = await join("bob", { type: "agent" });
      const { messageId } = await ann.send("deploy on Monday", { to: ["bob"] });
      await expect(bob.edit(messageId, "deploy now")).rejects.toMatchObject({ code: "forbidden" });
      await expect(ann.edit("none", "x")).rejects.toMatchObject({ code: "not_found" });
      const open = await ann.openMessage();
      await expect(ann.edit(open.messageId, "x")).rejects.toMatchObject({ code: "conflict" });
      await ann.complete(open.messageId);
      await ann.edit(messageId, "deploy on Tuesday");
      const event = (await store.read(LOG)).events.at(-1);
      expect(event).toMatchObject({ type: "message_edited", actor: { kind: "person", id: "ann" } });
      expect(event?.data).toEqual({ messageId, content: "deploy on Tuesday", to: ["bob"] });
      const [edited] = await take(bob, 1, ({ type }) => type === "edited");
      expect(edited).toMatchObject({ messageId, content: "deploy on Tuesday", from: "ann", kind: "person" });
      const [shown] = await messagesAt(url);
      expect(shown).toMatchObject({ content: "deploy on Tuesday", state: "complete", sequence: 1 });
      expect(shown?.editedAt).toBe(event?.occurredAt);
      // After a lost answer, the client sends the same frame again, and it is stored once, even if the message was
      // deleted before.
      using raw = await openRaw(url);
      raw.send(hello({ handle: "ann" }));
      await raw.next("ready");
      const frame = { type: "edit", id: "twice", messageId, content: "deploy on Friday" };
      raw.send({ ...frame, request: 1 });
      const { result } = await raw.next("ok");
      await ann.delete(messageId);
      raw.send({ ...frame, request: 2 });
      expect((await raw.next("ok")).result).toEqual(result);
      await expect(ann.edit(messageId, "deploy never")).rejects.toMatchObject({ code: "conflict" });
    },
  },
  {
    id: "MSG-11",
    title: "only its author and an administrator delete a message",
    run: async ({ url, join }, store) => {
      const server = await openServer(store, {
        authenticate: async (_token, peer) => ({
          tokenId: null,
          workspaceId: store.workspaceId,
          handle: "eve",
          page: null,
          scopes: [parseScope("channel:*:read,write")],
          peer,
        }),
      });
      const ann = await join("ann");
      const first = await ann.send("the key is 1234");
      const second = await ann.send("sorry");
      const path = (id: string): string => `/v1/channels/team/messages/${id}`;
      const refused = await fetch(`${server.url}${path(first.messageId)}`, { method: "DELETE" });
      expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: "forbidden" } }]);
      await server.close();
      await ann.delete(first.messageId, { reason: "a secret" });
      // The token of this server administers the workspace.
      const root = await fetch(`${url}${path(second.messageId)}?handle=root&id=once`, { method: "DELETE" });
      expect([root.status, await root.json()]).toEqual([200, { messageId: second.messageId, sequence: 4 }]);
      const events = (await store.read(LOG)).events.slice(2);
      expect(events.map(({ type, actor, data }) => [type, actor.id, data])).toEqual([
        [
          "message_deleted",
          "ann",
          { messageId: first.messageId, handle: "ann", messageSequence: 1, reason: "a secret" },
        ],
        ["message_deleted", "root", { messageId: second.messageId, handle: "ann", messageSequence: 2 }],
      ]);
      const [own, byRoot] = await take(ann, 2, ({ type }) => type === "deleted");
      expect([own?.addressed, byRoot]).toMatchObject([
        false,
        { from: "root", author: "ann", addressed: true },
      ]);
      expect(await messagesAt(url)).toMatchObject([
        { messageId: first.messageId, state: "deleted", content: "" },
        { messageId: second.messageId, state: "deleted", content: "" },
      ]);
      await expect(ann.delete(first.messageId)).rejects.toMatchObject({ code: "conflict" });
      await expect(ann.addReaction(first.messageId, "👍")).rejects.toMatchObject({ code: "conflict" });
    },
  },
  {
    id: "MSG-12",
    title: "a participant has each reaction to a message once, and removes only its own reactions",
    run: async ({ url, join }, store) => {
      const ann = await join("ann");
      const bob = await join("bob", { type: "agent" });
      const { messageId } = await ann.send("it works");
      await bob.addReaction(messageId, "👍");
      await bob.addReaction(messageId, "👍");
      await ann.addReaction(messageId, "👍");
      await ann.addReaction(messageId, "tada");
      await expect(bob.removeReaction(messageId, "tada")).rejects.toMatchObject({ code: "not_found" });
      await expect(bob.addReaction("none", "👍")).rejects.toMatchObject({ code: "not_found" });
      using raw = await openRaw(url);
      raw.send(hello({ handle: "ann" }));
      await raw.next("ready");
      const long = { type: "react", request: 1, id: "long", messageId, change: "added" };
      raw.send({ ...long, reaction: "x".repeat(65) });
      expect(await raw.next("error")).toMatchObject({ request: 1, error: { code: "invalid" } });
      expect(await messagesAt(url)).toMatchObject([
        {
          reactions: [
            { reaction: "👍", handles: ["bob", "ann"] },
            { reaction: "tada", handles: ["ann"] },
          ],
        },
      ]);
      // The author receives the reactions of others.
      const [heard] = await take(ann, 1, ({ type, addressed }) => type === "reaction" && addressed);
      expect(heard).toMatchObject({ from: "bob", change: "added", reaction: "👍", author: "ann", messageId });
      await ann.removeReaction(messageId, "tada");
      await ann.removeReaction(messageId, "tada");
      expect((await messagesAt(url))[0]?.reactions).toEqual([{ reaction: "👍", handles: ["bob", "ann"] }]);
      expect(await typesIn(store)).toEqual([
        "message_sent",
        ...["reaction_added", "reaction_added", "reaction_added", "reaction_removed"],
      ]);
      for (let n = 1; n < CHANNEL_LIMITS.reactions; n++) await ann.addReaction(messageId, `r${n}`);
      await expect(ann.addReaction(messageId, "one more")).rejects.toMatchObject({ code: "too_large" });
    },
  },
  {
    id: "MSG-13",
    title: "a message, its end and an edit may have blocks, and address the participants that the text names",
    run: async ({ url, join }, store) => {
      const ann = await join("ann");
      const bob = await join("bob", { type: "agent" });
      const call: Block = { type: "tool_call", id: "t1", name: "look_up", args: { order: "4711" } };
      const result: Block = {
        type: "tool_result",
        toolCallId: "t1",
        content: [{ type: "text", text: "sent yesterday" }],
        isError: false,
      };
      const blocks: readonly Block[] = [call, result, { type: "text", text: "@ann it was sent yesterday" }];
      const whole = await bob.send(blocks);
      const parts = await bob.openMessage();
      await bob.update(parts.messageId, "Looking");
      await bob.complete(parts.messageId, blocks);
      const [first, second] = await take(ann, 2, ({ addressed }) => addressed);
      for (const event of [first, second]) {
        expect(event).toMatchObject({ content: "@ann it was sent yesterday", blocks });
      }
      expect(await messagesAt(url)).toMatchObject([
        { messageId: whole.messageId, content: "@ann it was sent yesterday", blocks },
        { messageId: parts.messageId, content: "@ann it was sent yesterday", blocks, state: "complete" },
      ]);
      await bob.edit(whole.messageId, "only words");
      const [edited] = await messagesAt(url);
      expect([edited?.content, edited?.blocks]).toEqual(["only words", undefined]);
      await expect(bob.send(blocks, { state: "open" })).rejects.toMatchObject({ code: "invalid" });
      const large: Block = { type: "text", text: "x".repeat(CHANNEL_LIMITS.messageLength) };
      await expect(bob.send([large])).rejects.toMatchObject({ code: "too_large" });
      const { hash } = await store.putBlob(new TextEncoder().encode("a picture"));
      const image = await bob.send([{ type: "image", mimeType: "image/png", blob: hash }]);
      const [stored] = (await store.read(LOG, { id: image.messageId })).events;
      expect(stored?.blobs).toEqual([hash]);
    },
  },
  {
    id: "REPLAY-9",
    title: "the text of a message that is already deleted is sent to no one",
    run: async ({ url, join }) => {
      const ann = await join("ann");
      await join("bot", { type: "agent" }).then((bot) => bot.close());
      const secret = await ann.send("@bot the key is 1234");
      const parts = await ann.openMessage();
      await ann.update(parts.messageId, "@bot the key is 5678");
      await ann.complete(parts.messageId);
      const edited = await ann.send("hello @bot");
      await ann.edit(edited.messageId, "hello @bot, the key is 9012");
      for (const { messageId } of [secret, parts, edited]) await ann.delete(messageId);
      await ann.send("@bot hello");
      for (const replay of ["stream", "collect", "skip"]) {
        using raw = await openRaw(url);
        raw.send(hello({ handle: `bot`, participantType: "agent", replay }));
        await raw.next("ready");
        const events = raw.frames.filter(({ type }) => type === "event").map(({ event }) => recordOf(event));
        expect([replay, JSON.stringify(events).includes("the key")]).toEqual([replay, false]);
        expect(events.at(-1)).toMatchObject({ data: { content: "@bot hello" } });
        raw.send({ type: "close" });
        await raw.closed;
      }
      const bot = await join("bot", { type: "agent" });
      expect(bot.missedMessages).toEqual([]);
      const [input] = await take(bot, 1, ({ type }) => type === "message");
      expect(input).toMatchObject({ content: "@bot hello" });
    },
  },
  {
    id: "RUN-8",
    title: "an agent answers the current text of its input, and never a deleted input",
    run: async ({ join }) => {
      const ann = await join("ann");
      const wrong = await ann.send("@bot delete everything");
      const changed = await ann.send("@bot what is 2 + 2?");
      const bot = await join("bot", { type: "agent" });
      await take(bot, 2, ({ addressed }) => addressed);
      await ann.delete(wrong.messageId);
      await ann.edit(changed.messageId, "@bot what is 3 + 3?");
      // The deletion came after the agent saw the message.
      expect(await bot.claimInput(1, { agent: "pi" })).toEqual({ state: "done", runId: null });
      const claim = await bot.claimInput(2, { agent: "pi" });
      expect(claim).toMatchObject({ state: "claimed", content: "@bot what is 3 + 3?" });
      if (claim.state === "claimed") await bot.endRun(claim.runId, { status: "completed" });
      // Another input is deleted before the agent claims the one after it.
      const third = await ann.send("@bot and 4 + 4?");
      const fourth = await ann.send("@bot and 5 + 5?");
      await ann.delete(third.messageId);
      const [event] = await take(bot, 1, (one) => one.type === "message" && one.id === fourth.messageId);
      expect(await bot.claimInput(event?.sequence ?? 0, { agent: "pi" })).toMatchObject({ attempt: 1 });
    },
  },
];
