/** Cases for the log, messages in progress, presence and calls. */

import { isContinuoError } from "@continuo/core/model";
import { expect } from "vitest";
import { take } from "../open-channel.ts";
import { type ChannelCase, LOG, typesIn, until } from "./case.ts";
import { hello, openRaw } from "./raw.ts";

const isMessage = ({ type }: { readonly type: string }): boolean => type !== "presence";

export const messageCases: readonly ChannelCase[] = [
  {
    id: "LOG-2",
    title: "the server ignores what a client claims about its actor",
    run: async ({ join }, store) => {
      const bob = await join("bob", { type: "agent" });
      await bob.send("x");
      const [event] = (await store.read(LOG)).events;
      expect(event?.actor).toEqual({ kind: "agent", id: "bob" });
    },
  },
  {
    id: "LOG-3",
    title: "a frame that is sent again is stored once",
    run: async ({ url }, store) => {
      using raw = await openRaw(url);
      raw.send(hello({ handle: "ann" }));
      await raw.next("ready");
      for (const request of [1, 2]) {
        raw.send({ type: "send", request, id: "same", content: "x" });
        expect(await raw.next("ok")).toMatchObject({ request, result: { sequence: 1 } });
      }
      raw.send({ type: "send", request: 3, id: "same", content: "other" });
      expect(await raw.next("error")).toMatchObject({ request: 3, error: { code: "conflict" } });
      // The same holds for the end of a message, although the message is no longer in progress.
      raw.send({ type: "send", request: 4, id: "m", content: "", state: "open" });
      for (const request of [5, 6]) {
        raw.send({ type: "complete", request, id: "end", messageId: "m", content: "x" });
        expect(await raw.next("ok")).toMatchObject({ request: 4 + (request - 5) * 2 });
        if (request === 5) await raw.next("ok");
      }
      expect(await typesIn(store)).toEqual(["message_sent", "message_sent", "message_completed"]);
      // It also holds over another connection, and for a reply: a repeated beginning does not open it again.
      const begin = { type: "send", id: "r", content: "", state: "open", replyTo: "same" };
      const end = { type: "complete", id: "r-end", messageId: "r", content: "y" };
      raw.send({ ...begin, request: 7 });
      raw.send({ ...end, request: 8 });
      await raw.next("ok");
      await raw.next("ok");
      raw.send({ ...end, request: 9 });
      expect(await raw.next("ok")).toMatchObject({ request: 9 });
      raw.send({ ...begin, request: 10 });
      expect(await raw.next("ok")).toMatchObject({ request: 10 });
      raw.send({ type: "complete", request: 11, id: "second-end", messageId: "r", content: "y" });
      expect(await raw.next("error")).toMatchObject({ request: 11, error: { code: "conflict" } });
    },
  },
  {
    id: "LOG-4",
    title: "frames of one connection are stored in their order",
    run: async ({ join }, store) => {
      const ann = await join("ann");
      await Promise.all(Array.from({ length: 100 }, (_, n) => ann.send(`m${n}`)));
      const { events } = await store.read(LOG);
      expect(events.map(({ data }) => (data as { content: string }).content)).toEqual(
        Array.from({ length: 100 }, (_, n) => `m${n}`),
      );
    },
  },
  {
    id: "LOG-5",
    title: "a confirmed event is in the store",
    run: async ({ join }, store) => {
      const ann = await join("ann");
      for (let n = 1; n <= 10; n++) {
        await ann.send("x");
        expect(await store.latestSequence(LOG)).toBe(n);
      }
    },
  },
  {
    id: "MSG-1",
    title: "only its writer changes a message, and only while it is in progress",
    run: async ({ url, join }) => {
      const ann = await join("ann");
      const { messageId } = await ann.send("");
      using raw = await openRaw(url);
      raw.send(hello({ handle: "eve" }));
      await raw.next("ready");
      const frames = [
        { type: "append", delta: "x" },
        { type: "replace", content: "x" },
        { type: "complete", content: "x" },
      ];
      for (const [request, frame] of frames.entries()) {
        raw.send({ ...frame, request, id: `e${request}`, messageId });
        expect(await raw.next("error")).toMatchObject({ request, error: { code: "conflict" } });
      }
      await ann.complete(messageId);
      await expect(ann.update(messageId, "more")).rejects.toMatchObject({ code: "conflict" });
      await expect(ann.complete(messageId)).rejects.toMatchObject({ code: "conflict" });
    },
  },
  {
    id: "MSG-2",
    title: "the end of a message holds its whole text",
    run: async ({ join }, store) => {
      const ann = await join("ann");
      const first = await ann.send("question");
      const bob = await join("bob");
      const { messageId } = await bob.openMessage({ to: ["carl"], replyTo: first.messageId });
      await bob.update(messageId, "one ");
      await bob.update(messageId, { content: "two " });
      await bob.update(messageId, "three");
      await bob.complete(messageId);
      const event = (await store.read(LOG)).events.at(-1);
      expect(event?.data).toEqual({
        messageId,
        content: "two three",
        to: ["carl"],
        replyTo: first.messageId,
        replyToHandle: "ann",
      });
    },
  },
  {
    id: "MSG-3",
    title: "a writer that does not come back is interrupted, with its text so far",
    run: async ({ url, join }, store) => {
      const reader = await join("reader");
      using raw = await openRaw(url);
      raw.send(hello({ handle: "ann", workspaceId: store.workspaceId }));
      await raw.next("ready");
      raw.send({ type: "send", request: 1, id: "m", content: "", state: "open" });
      raw.send({ type: "append", request: 2, id: "p", messageId: "m", delta: "half" });
      await raw.next("ok");
      await raw.next("ok");
      raw.cut();
      await until(async () => (await typesIn(store)).includes("message_interrupted"), "an interruption");
      const seen = await take(reader, 3, isMessage);
      expect(seen.at(-1)).toMatchObject({
        type: "error",
        code: "interrupted",
        messageId: "m",
        content: "half",
      });
      const ann = await join("ann");
      expect(ann.status).toBe("interrupted");
      await ann.commitCheckpoint(1);
      expect(ann.status).toBe("active");
    },
  },
  {
    id: "MSG-4",
    title: "any server finds a writer whose lease ran out",
    run: async ({ join }, store) => {
      await store.createLog({ logId: LOG });
      // A killed server leaves this state.
      await store.acquireLease("channel/team/ann", { owner: '["gone","ann","person",[]]', ttlMs: 1 });
      await store.append(LOG, [
        {
          id: "m",
          type: "message_sent",
          actor: { kind: "person", id: "ann" },
          data: { messageId: "m", content: "hal", state: "open", writer: "gone" },
        },
      ]);
      await join("reader");
      await until(async () => (await typesIn(store)).includes("message_interrupted"), "an interruption");
      const leases = async () => (await store.listLeases({ prefix: "channel/team/ann" })).items;
      await until(async () => (await leases()).length === 0, "a free handle");
    },
  },
  {
    id: "MSG-5",
    title: "a writer that comes back in time continues its message",
    run: async ({ url }, store) => {
      // The machine may stand still for longer than a writer has to come back. In this case the test tries another
      // writer.
      for (let tries = 1; ; tries++) {
        const mine = { handle: `ann${tries}`, instance: "same" };
        const from = await store.latestSequence(LOG).catch(() => 0);
        const first = await openRaw(url);
        first.send(hello(mine));
        await first.next("ready");
        first.send({ type: "send", request: 1, id: `m${tries}`, content: "", state: "open" });
        first.send({ type: "append", request: 2, id: `p${tries}`, messageId: `m${tries}`, delta: "a" });
        await first.next("ok");
        await first.next("ok");
        first.cut();
        await first.closed;
        using second = await openRaw(url);
        second.send(hello({ ...mine, after: from + 2 }));
        await second.next("ready");
        if (tries < 20 && (await typesIn(store)).at(-1) === "message_interrupted") continue;
        const messageId = `m${tries}`;
        second.send({ type: "append", request: 3, id: `q${tries}`, messageId, delta: "b" });
        second.send({ type: "complete", request: 4, id: `e${tries}`, messageId, content: "ab" });
        expect(await second.next("ok")).toMatchObject({ request: 3 });
        expect(await second.next("ok")).toMatchObject({ request: 4 });
        expect((await typesIn(store)).slice(from)).toEqual([
          "message_sent",
          "message_streamed",
          "message_streamed",
          "message_completed",
        ]);
        return;
      }
    },
  },
  {
    id: "MSG-6",
    title: "close interrupts only messages in progress",
    run: async ({ join }, store) => {
      const quiet = await join("quiet");
      await quiet.send("x");
      await quiet.close();
      expect((await join("quiet")).status).toBe("active");
      const ann = await join("ann", { type: "agent" });
      await ann.send("");
      await ann.close();
      await until(async () => (await typesIn(store)).includes("message_interrupted"), "an interruption");
      await until(async () => (await store.getLease("channel/team/ann")) === null, "a free handle");
      expect((await join("ann", { type: "agent" })).status).toBe("interrupted");
    },
  },
  {
    id: "MSG-7",
    title: "a client that lost its handle can no longer write",
    run: async ({ url }, store) => {
      using raw = await openRaw(url);
      raw.send(hello({ handle: "ann", participantType: "agent" }));
      await raw.next("ready");
      raw.send({ type: "send", request: 1, id: "m", content: "", state: "open" });
      await raw.next("ok");
      const { token } = (await store.getLease("channel/team/ann")) ?? { token: 0 };
      await store.acquireLease("channel/team/ann", { owner: '["other","ann","agent",[]]', takeFrom: token });
      raw.send({ type: "append", request: 2, id: "p", messageId: "m", delta: "x" });
      expect(await raw.next("error")).toMatchObject({ error: { code: "handle_taken" } });
      expect(await raw.closed).toBe(4010);
      expect(await typesIn(store)).toEqual(["message_sent"]);
    },
  },
  {
    id: "MSG-8",
    title: "a reply names a message of the channel, and is addressed to its writer",
    run: async ({ join }) => {
      const ann = await join("ann");
      const bob = await join("bob");
      const { messageId } = await ann.send("question");
      await expect(bob.send("x", { replyTo: "nothing" })).rejects.toMatchObject({ code: "not_found" });
      await bob.send("answer", { replyTo: messageId });
      const seen = await take(ann, 2, isMessage);
      expect(seen.map(({ own, addressed }) => [own, addressed])).toEqual([
        [true, false],
        [false, true],
      ]);
    },
  },
  {
    id: "MSG-9",
    title:
      "a participant that received a question and did not answer it is interrupted when its connection ends",
    run: async ({ url, join }, store) => {
      const status = async (handle: string): Promise<unknown> =>
        (await store.getSession(`participant:team:${handle}`))?.status;
      const ann = await join("ann");
      await ann.send("@bot why? @calm how?");
      using raw = await openRaw(url);
      const agent = { participantType: "agent", workspaceId: store.workspaceId };
      raw.send(hello({ handle: "bot", ...agent }));
      await raw.next("ready");
      raw.send({ type: "received", request: 1, sequence: 1 });
      await raw.next("ok");
      raw.cut();
      await until(async () => (await status("bot")) === "interrupted", "an interrupted session");
      const calm = await join("calm", { type: "agent" });
      await take(calm, 1, ({ addressed }) => addressed);
      await calm.commitCheckpoint(1);
      await calm.close();
      expect(await status("calm")).toBe("active");
      expect(await typesIn(store)).toEqual(["message_sent"]);
    },
  },
  {
    id: "PRES-1",
    title: "presence appears in the roster, and never in the log",
    run: async ({ join }, store) => {
      const ann = await join("ann", { name: "Ann A.", type: "person", capabilities: ["paint"] });
      const bob = await join("bob", { type: "agent" });
      expect(bob.roster()).toEqual([
        { handle: "ann", name: "Ann A.", type: "person", capabilities: ["paint"] },
        { handle: "bob", name: "bob", type: "agent", capabilities: [] },
      ]);
      await ann.close();
      await until(() => bob.roster().length === 1, "one in the roster");
      expect(await typesIn(store)).toEqual([]);
    },
  },
  {
    id: "PRES-2",
    title: "connected clients are notified of joins and leaves",
    run: async ({ join }) => {
      const ann = await join("ann");
      const bob = await join("bob");
      await bob.close();
      const seen = await take(ann, 2, ({ type, from }) => type === "presence" && from === "bob");
      expect(seen).toMatchObject([
        { change: "joined", sequence: undefined, pubsubId: undefined },
        { change: "left", participant: { handle: "bob" } },
      ]);
    },
  },
  {
    id: "PRES-3",
    title:
      "a person can have several connections with one handle, and is present until the last of them leaves",
    run: async ({ join }, store) => {
      const bob = await join("bob", { type: "agent" });
      const phone = await join("ann", { name: "Ann A.", capabilities: ["ring"] });
      const laptop = await join("ann", { name: "Ann A.", capabilities: ["paint"] });
      const ann = (): unknown => bob.roster().find(({ handle }) => handle === "ann");
      const both = { handle: "ann", name: "Ann A.", type: "person" };
      const { messageId } = await phone.openMessage({ to: ["bob"] });
      await laptop.send("from the laptop");
      await phone.update(messageId, "from the phone");
      const seen = await take(laptop, 3, isMessage);
      expect(seen.map(({ own }) => own)).toEqual([true, true, true]);
      // A connection that leaves interrupts only its own messages in progress.
      await laptop.openMessage({ messageId: "half" });
      await laptop.close();
      await phone.complete(messageId);
      expect((await typesIn(store)).slice(-2)).toEqual(["message_interrupted", "message_completed"]);
      expect(ann()).toMatchObject(both);
      expect((await store.getSession("participant:team:ann"))?.status).toBe("active");
      await phone.close();
      await until(() => ann() === undefined, "a roster without ann");
      const left = await take(bob, 1, ({ type, from }) => type === "presence" && from === "ann");
      expect(left).toMatchObject([{ change: "joined", participant: both }]);
      expect(await take(bob, 1, ({ type, from }) => type === "presence" && from === "ann")).toMatchObject([
        { change: "left" },
      ]);
    },
  },
  {
    id: "PRES-4",
    title: "an agent does not get the handle of a connected person, nor a person that of an agent",
    run: async ({ join }) => {
      const ann = await join("ann");
      await expect(join("ann", { type: "agent" })).rejects.toMatchObject({ code: "handle_taken" });
      const bot = await join("bot", { type: "agent" });
      await expect(join("bot")).rejects.toMatchObject({ code: "handle_taken" });
      await Promise.all([ann.send("here"), bot.send("here")]);
      await Promise.all([ann.close(), bot.close()]);
      await Promise.all([join("ann", { type: "agent" }), join("bot")]);
    },
  },
  {
    id: "CALL-1",
    title: "only the called participant can send a result",
    run: async ({ url, join }) => {
      const ann = await join("ann");
      const bob = await join("bob", { capabilities: ["add"] });
      using eve = await openRaw(url);
      eve.send(hello({ handle: "eve" }));
      await eve.next("ready");
      const call = ann.call("bob", "add", { a: 1, b: 2 });
      const [asked] = await take(bob, 1, isMessage);
      expect(asked).toMatchObject({
        type: "method_call",
        addressed: true,
        method: "add",
        args: { a: 1, b: 2 },
      });
      eve.send({ type: "answer", request: 1, id: "x", callId: call.callId, value: "forged", done: true });
      await eve.next("ok");
      await bob.respond(call.callId, 1, { done: false });
      await bob.respond(call.callId, 3);
      expect(await Array.fromAsync(call)).toEqual([1, 3]);
      expect(await call.result).toBe(3);
    },
  },
  {
    id: "CALL-2",
    title: "a caller that gives up sends a notice",
    run: async ({ join }) => {
      const ann = await join("ann");
      const bob = await join("bob");
      const call = ann.call("bob", "wait", null, { timeoutMs: 20 });
      await expect(call.result).rejects.toSatisfy((error) => isContinuoError(error, "unavailable"));
      const seen = await take(bob, 2, isMessage);
      expect(seen.map(({ type }) => type)).toEqual(["method_call", "method_cancel"]);
    },
  },
];
