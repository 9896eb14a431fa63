import type { StoredEvent } from "@continuo/core/model";
import type { ChannelSummary } from "@continuo/core/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenedStore, openStore } from "../store/index.ts";
import { channelLogId } from "./names.ts";
import { openChannel } from "./participants.ts";
import { post } from "./post.ts";
import { summaryOf } from "./summary.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:", { workspaceId: "w" });
  await openChannel(store, "team");
});
afterEach(async () => await store.close());

async function newest(): Promise<ChannelSummary["newest"]> {
  const latestSequence = await store.latestSequence(channelLogId("team"));
  return (await summaryOf(store, { channel: "team", latestSequence })).newest;
}

async function put(type: string, fields: object, by: object = {}): Promise<StoredEvent> {
  const frame = { request: 0, type, id: crypto.randomUUID(), ...fields } as never;
  const author = { channel: "team", handle: "ann", type: "person", instance: "x", ...by };
  return await post(store, author, { frame, open: new Map() });
}

test("the newest message has its edited text, and its state", async () => {
  expect(await newest()).toBeNull();
  const { id: messageId } = await put("send", { content: "the train leaves at 9" });
  await put("edit", { messageId, content: "the train leaves at 10" });
  expect(await newest()).toMatchObject({ messageId, content: "the train leaves at 10" });
  await put("delete", { messageId });
  expect(await newest()).toMatchObject({ messageId, content: "", state: "deleted" });
});

test("a summary shows only the beginning of a long message", async () => {
  await put("send", { content: `The log:\n${"x".repeat(5_000)}` });
  expect((await newest())?.content).toBe(`The log:\n${"x".repeat(191)}`);
});

test("a participant that is not a person writes as an agent, for every type that an application may choose", async () => {
  const sent = await Promise.all(
    ["person", "agent", "reviewer"].map((type) => put("send", { content: "hello" }, { type })),
  );
  expect(sent.map(({ actor }) => actor.kind)).toEqual(["person", "agent", "agent"]);
});
