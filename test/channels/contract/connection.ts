/** Cases for names, hello, replay, anchors and flow control. */

import { isContinuoError } from "@continuo/core/model";
import { isAddressedTo, parseScope } from "@continuo/core/wire";
import { expect } from "vitest";
import { openServer } from "../../server/harness/open-server.ts";
import { take } from "../open-channel.ts";
import { type ChannelCase, LOG, until } from "./case.ts";
import { hello, openRaw } from "./raw.ts";

async function refusal(url: string, frame: unknown): Promise<unknown> {
  using raw = await openRaw(url);
  raw.send(frame);
  const { error } = await raw.next("error");
  await raw.closed;
  return (error as { readonly code: string }).code;
}

const failing = (code: string): object => expect.objectContaining({ code });

export const connectionCases: readonly ChannelCase[] = [
  {
    id: "NAME-1",
    title: "names with a colon, a slash or a control character are refused",
    run: async ({ join, url }) => {
      for (const handle of ["a:b", "a/b", "a\nb", ""])
        await expect(join(handle)).rejects.toThrow(failing("invalid") as Error);
      await expect(join("a", { channel: "x:y" })).rejects.toMatchObject({ code: "invalid" });
      await expect(join("a", { workspaceId: "x:y" })).rejects.toMatchObject({ code: "invalid" });
      expect(await refusal(url, hello({ handle: "a:b" }))).toBe("invalid");
      using raw = await openRaw(url, "x:y");
      raw.send(hello({ handle: "ann" }));
      expect(await raw.next("error")).toMatchObject({ error: { code: "invalid" } });
    },
  },
  {
    id: "NAME-2",
    title: "@handle addresses a handle only if it is not part of a longer name",
    run: async () => {
      const said = (content: string): boolean =>
        isAddressedTo(
          { type: "message_sent", actor: { kind: "person", id: "bob" }, data: { content } },
          "ann",
        );
      const yes = ["@ann", "hi @ann.", "(@ann)", "@ann, you", "@ann: go", "「@ann」", "@ann- no"];
      const no = ["ann", "@anna", "x@ann.org", "bob@ann", "@ann.org", "@ann-marie", "@@ann", "/@ann", "@Ann"];
      expect(yes.filter((text) => !said(text))).toEqual([]);
      expect(no.filter(said)).toEqual([]);
    },
  },
  {
    id: "HELLO-1",
    title: "a first frame that is not a hello is refused",
    run: async ({ url }) => {
      expect(await refusal(url, { type: "send", request: 1, id: "x", content: "x" })).toBe("invalid");
      expect(await refusal(url, "text")).toBe("invalid");
      expect(await refusal(url, { type: "__proto__" })).toBe("invalid");
    },
  },
  {
    id: "HELLO-2",
    title: "a hello with another version of the protocol is refused",
    run: async ({ url }) => {
      expect(await refusal(url, hello({ handle: "ann", protocol: 2 }))).toBe("unsupported");
    },
  },
  {
    id: "HELLO-3",
    title: "the token decides the handle, the workspace and the channel",
    run: async (_, store) => {
      const scopes = [parseScope("channel:team:read,write"), parseScope("channel:quiet:read")];
      const server = await openServer(store, {
        authenticate: async (_token, peer) => ({
          tokenId: null,
          workspaceId: store.workspaceId,
          handle: "ann",
          page: null,
          scopes,
          peer,
        }),
      });
      try {
        expect(await refusal(server.url, hello({ handle: "bob" }))).toBe("forbidden");
        expect(await refusal(server.url, hello({ handle: "ann", workspaceId: "other" }))).toBe("forbidden");
        for (const channel of ["quiet", "secret"]) {
          using raw = await openRaw(server.url, channel);
          raw.send(hello({ handle: "ann" }));
          expect(await raw.next("error")).toMatchObject({ error: { code: "forbidden" } });
        }
        using raw = await openRaw(server.url);
        raw.send(hello({ handle: "ann", workspaceId: store.workspaceId }));
        expect(await raw.next("hello")).toMatchObject({ handle: "ann" });
      } finally {
        await server.close();
      }
    },
  },
  {
    id: "HELLO-4",
    title: "the first connection keeps a handle that two connections ask for",
    run: async ({ join }) => {
      const agent = { type: "agent" };
      const ann = await join("ann", agent);
      await expect(join("ann", agent)).rejects.toMatchObject({ code: "handle_taken" });
      await ann.send("still here");
      await ann.close();
      await join("ann", agent);
    },
  },
  {
    id: "HELLO-5",
    title: "the same instance gets its handle back while the old connection is open",
    run: async ({ url }) => {
      using first = await openRaw(url);
      first.send(hello({ handle: "ann", participantType: "agent", instance: "same" }));
      await first.next("ready");
      using second = await openRaw(url);
      second.send(hello({ handle: "ann", participantType: "agent", instance: "same" }));
      await second.next("ready");
      first.send({ type: "send", request: 1, id: "late", content: "from the old connection" });
      expect(await first.closed).toBe(4010);
      expect(first.frames.filter(({ type }) => type === "error" || type === "ok")).toEqual([]);
      second.send({ type: "send", request: 1, id: "new", content: "x" });
      expect(await second.next("ok")).toMatchObject({ result: { sequence: 1 } });
    },
  },
  {
    id: "HELLO-7",
    title: "a connection whose lease a server took ends without an error, and gets its handle back",
    run: async ({ url }, store) => {
      using first = await openRaw(url);
      first.send(hello({ handle: "ann", participantType: "agent", instance: "same" }));
      await first.next("ready");
      const { token } = (await store.getLease("channel/team/ann")) ?? { token: 0 };
      const taken = await store.acquireLease("channel/team/ann", { owner: "server-other", takeFrom: token });
      first.send({ type: "send", request: 1, id: "x", content: "x" });
      expect(await first.closed).toBe(4010);
      expect(first.frames.filter(({ type }) => type === "error" || type === "ok")).toEqual([]);
      await store.releaseLease(taken);
      using second = await openRaw(url);
      second.send(hello({ handle: "ann", participantType: "agent", instance: "same" }));
      await second.next("ready");
      second.send({ type: "send", request: 1, id: "x", content: "x" });
      expect(await second.next("ok")).toMatchObject({ result: { sequence: 1 } });
    },
  },
  {
    id: "HELLO-6",
    title: "a participant without a handle can only read",
    run: async ({ url, join }) => {
      const ann = await join("ann");
      using raw = await openRaw(url);
      raw.send(hello());
      expect(await raw.next("ready")).toMatchObject({ roster: [{ handle: "ann" }] });
      raw.send({ type: "send", request: 1, id: "x", content: "x" });
      expect(await raw.next("error")).toMatchObject({ request: 1, error: { code: "forbidden" } });
      await ann.send("hello");
      expect(await raw.next("event")).toMatchObject({ event: { data: { content: "hello" } } });
    },
  },
  {
    id: "BEAT-1",
    title: "the server sends heartbeats",
    run: async ({ url }) => {
      using raw = await openRaw(url);
      raw.send(hello({ handle: "ann" }));
      await raw.next("heartbeat");
    },
  },
  {
    id: "ERR-1",
    title: "an error of a request leaves the connection open",
    run: async ({ url }) => {
      using raw = await openRaw(url);
      raw.send(hello({ handle: "ann" }));
      await raw.next("ready");
      raw.send({ type: "append", request: 7, id: "x", messageId: "none", delta: "x" });
      expect(await raw.next("error")).toMatchObject({ request: 7, error: { code: "conflict" } });
      raw.send({ type: "send", request: 8, id: "a", content: 5 });
      expect(await raw.next("error")).toMatchObject({ request: 8, error: { code: "invalid" } });
      raw.send({ type: "send", request: 9, id: "b", content: "x" });
      expect(await raw.next("ok")).toMatchObject({ request: 9 });
      raw.text("{");
      expect(await raw.next("error")).not.toHaveProperty("request");
      expect(await raw.closed).toBe(4000);
    },
  },
  {
    id: "SIZE-1",
    title: "an oversized frame ends the connection",
    run: async ({ url }) => {
      using raw = await openRaw(url);
      raw.send(hello({ handle: "ann" }));
      await raw.next("ready");
      raw.text(JSON.stringify({ type: "send", request: 1, id: "x", content: "x".repeat(5_000_000) }));
      expect(await raw.closed).toBe(1009);
    },
  },
  {
    id: "REPLAY-1",
    title: "events come in order, then `ready`, then new events",
    run: async ({ url, join }) => {
      const ann = await join("ann");
      for (const word of ["a", "b", "c"]) await ann.send(word);
      using raw = await openRaw(url);
      raw.send(hello({ after: 1 }));
      expect(await raw.next("ready")).toMatchObject({ sequence: 3 });
      await ann.send("d");
      await until(() => raw.frames.filter(({ type }) => type === "event").length === 3, "three events");
      const order = raw.frames.filter(({ type }) => type === "event" || type === "ready");
      expect(
        order.map(({ type, event }) => (event as { sequence: number } | undefined)?.sequence ?? type),
      ).toEqual([2, 3, "ready", 4]);
    },
  },
  {
    id: "REPLAY-2",
    title: "each event names the event that was sent before it, and parts of ended messages are left out",
    run: async ({ url, join }) => {
      const ann = await join("ann");
      await ann.send("first");
      const { messageId } = await ann.openMessage();
      await ann.update(messageId, "whole");
      await ann.complete(messageId);
      await ann.send("last");
      using raw = await openRaw(url);
      raw.send(hello());
      await raw.next("ready");
      const events = raw.frames.filter(({ type }) => type === "event");
      expect(events.map(({ after, event }) => [after, (event as { sequence: number }).sequence])).toEqual([
        [0, 1],
        [1, 4],
        [4, 5],
      ]);
    },
  },
  {
    id: "REPLAY-3",
    title: "a late reader receives an ended message as one event, and an open message in its parts",
    run: async ({ join }) => {
      const ann = await join("ann");
      const done = await ann.openMessage();
      await ann.update(done.messageId, "wh");
      await ann.update(done.messageId, "ole");
      await ann.complete(done.messageId);
      const open = await ann.openMessage();
      await ann.update(open.messageId, "half");
      const bob = await join("bob", { replayMode: "stream" });
      const [one, two, three] = await take(bob, 3);
      expect(one).toMatchObject({ type: "message", id: done.messageId, content: "whole", state: "complete" });
      expect(two).toMatchObject({ type: "message", id: open.messageId, content: "", state: "open" });
      expect(three).toMatchObject({ type: "update", delta: "half" });
    },
  },
  {
    id: "REPLAY-5",
    title: "a sequence that the log does not have is refused",
    run: async ({ url, join }) => {
      await join("ann");
      expect(await refusal(url, hello({ after: 5 }))).toBe("out_of_range");
    },
  },
  {
    id: "REPLAY-6",
    title: "a reader with `skip` receives the messages that are addressed to it, whole, and then new events",
    run: async ({ url, join }) => {
      const ann = await join("ann");
      await ann.send("@bob one");
      await ann.send("@bobby two");
      const { messageId } = await ann.openMessage();
      await ann.update(messageId, "@bob thr");
      await ann.update(messageId, "ee");
      await ann.complete(messageId);
      await ann.send("four", { to: ["bob"] });
      using raw = await openRaw(url);
      raw.send({ ...hello({ handle: "bob" }), replay: "skip" });
      const { sequence } = await raw.next("ready");
      await ann.send("five");
      await until(() => raw.frames.filter(({ type }) => type === "event").length === 4, "four events");
      const events = raw.frames.filter(({ type }) => type === "event");
      expect(events).toMatchObject([
        { after: 0, event: { sequence: 1, type: "message_sent" } },
        { after: 1, event: { sequence: 6, type: "message_completed", data: { content: "@bob three" } } },
        { after: 6, event: { sequence: 7, data: { content: "four" } } },
        { after: 7, event: { sequence: 8, data: { content: "five" } } },
      ]);
      expect(sequence).toBe(7);
      expect(await refusal(url, { ...hello({}), replay: "some" })).toBe("invalid");
    },
  },
  {
    id: "REPLAY-7",
    title: "a reader with `collect` receives the newest messages and the number of the others",
    run: async ({ url, join }, store) => {
      await join("ann");
      const actor = { kind: "person", id: "ann" } as const;
      const said = (n: number) => ({
        type: "message_sent",
        actor,
        data: { content: n === 9 ? "@bob" : `${n}` },
      });
      await store.append(
        LOG,
        Array.from({ length: 1_100 }, (_, n) => said(n)),
      );
      using raw = await openRaw(url);
      raw.send({ ...hello({ handle: "bob" }), replay: "collect" });
      expect(await raw.next("hello")).toMatchObject({ after: 0, omitted: { messages: 100, upTo: 100 } });
      await raw.next("ready");
      const events = raw.frames.filter(({ type }) => type === "event");
      expect(events.map(({ after }) => after).slice(0, 3)).toEqual([0, 10, 101]);
      expect(events).toHaveLength(1_001);
    },
  },
  {
    id: "REPLAY-8",
    title: "while a long replay is read, other connections are served",
    run: async ({ url, join }, store) => {
      const ann = await join("ann");
      const actor = { kind: "person", id: "ann" } as const;
      const many = Array.from({ length: 4_000 }, (_, n) => ({
        type: "message_sent",
        actor,
        data: { content: `${n}` },
      }));
      await store.append(LOG, many);
      using raw = await openRaw(url);
      raw.send(hello({ handle: "bob" }));
      await raw.next("hello");
      // The request is answered before the replay is over.
      await ann.send("in between");
      expect(raw.frames.some(({ type }) => type === "ready")).toBe(false);
      await raw.next("ready");
    },
  },
  {
    id: "ANCHOR-1",
    title: "a replay from the anchor begins with the newest anchor",
    run: async ({ url, join }) => {
      const ann = await join("ann");
      await ann.send("old");
      const { messageId } = await ann.openMessage();
      for (const part of ["a", "b"]) await ann.update(messageId, part);
      using raw = await openRaw(url);
      raw.send(hello({ after: "anchor" }));
      expect(await raw.next("hello")).toMatchObject({ after: 1 });
      expect(await raw.next("event")).toMatchObject({
        after: 1,
        event: { sequence: 2, type: "message_sent" },
      });
    },
  },
  {
    id: "FLOW-2",
    title: "after a pause no event comes until a resume, which names the event to begin after",
    run: async ({ url, join }) => {
      const ann = await join("ann");
      await ann.send("a");
      using raw = await openRaw(url);
      raw.send(hello());
      await raw.next("ready");
      raw.send({ type: "pause" });
      raw.send({ type: "resume", after: 1 });
      raw.send({ type: "pause" });
      const before = raw.frames.length;
      // A request of the same connection is answered only after the pause took effect.
      raw.send({ type: "send", request: 1, id: "x", content: "x" });
      await raw.next("error");
      await ann.send("b");
      expect(raw.frames.slice(before).filter(({ type }) => type === "event")).toEqual([]);
      raw.send({ type: "resume", after: 0 });
      expect(await raw.next("event")).toMatchObject({ after: 0, event: { sequence: 1 } });
      expect(await raw.next("event")).toMatchObject({ after: 1, event: { sequence: 2 } });
    },
  },
  {
    id: "FLOW-4",
    title: "a server that shuts down tells its clients when to reconnect",
    run: async ({ url, stop }) => {
      using raw = await openRaw(url);
      raw.send(hello({ handle: "ann" }));
      await raw.next("ready");
      await stop();
      expect(await raw.closed).toBe(4012);
      expect(raw.frames.find(({ type }) => type === "bye")).toMatchObject({ retryMs: expect.any(Number) });
    },
  },
  {
    id: "LOG-1",
    title: "every event of a channel is in its log, with the client's id and the handle of the connection",
    run: async ({ url }, store) => {
      using raw = await openRaw(url);
      raw.send(hello({ handle: "ann" }));
      await raw.next("ready");
      const forged = { actor: { kind: "person", id: "eve" }, from: "eve" };
      raw.send({ type: "send", request: 1, id: "own-id", content: "x", ...forged });
      await raw.next("ok");
      const { events } = await store.read(LOG);
      expect(events).toMatchObject([{ id: "own-id", type: "message_sent", actor: { id: "ann" } }]);
      expect(isContinuoError(undefined)).toBe(false);
    },
  },
];
