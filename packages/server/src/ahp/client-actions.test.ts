/** The actions of clients in a session that has no message yet, with what each of them may do. */

import { ContinuoError } from "@continuo/core/model";
import type { MachineService } from "@continuo/core/wire/machine";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { dispatch, type Sender } from "./client-actions.ts";
import { AhpHost } from "./host.ts";
import { LIMITS } from "./limits.ts";
import { toChatUri } from "./uris.ts";

const CHANNEL = "claude:/draft";
let host: AhpHost;
beforeEach(async () => {
  const machine = {
    sessions: async () => ({ sessions: [], agents: [], nextCursor: null }),
    known: () => Promise.reject(new ContinuoError("not_found", "there is no such session")),
    chat: {
      agentsIn: async (cwd: string) => ({ cwd, agents: ["claude"], agent: "claude" }),
      answer: async () => undefined,
    },
  };
  const service = machine as unknown as MachineService;
  host = new AhpHost({ machine: service, now: Date.now, report: () => undefined });
  await host.create(CHANNEL, { provider: "claude", folder: "/work" });
});
afterEach(() => host.close());

function sender(clientId: string, rights: readonly string[]): Sender {
  return {
    origin: { clientId, clientSeq: 1 },
    name: "editor",
    signal: new AbortController().signal,
    may: (access) => {
      if (!rights.includes(access)) throw new ContinuoError("forbidden", `no right to ${access}`);
    },
    mayForever: () => false,
    refuseLater: () => undefined,
    recordStart: async () => undefined,
  };
}

async function sent(action: { readonly type: string }, by: Sender): Promise<void> {
  const channel = action.type.startsWith("chat/") ? toChatUri(CHANNEL) : CHANNEL;
  await dispatch(host, { channel, action }, by);
}

test.each([
  { type: "session/titleChanged", title: "Mine" },
  { type: "session/isArchivedChanged", isArchived: true },
  { type: "chat/draftChanged", draft: { text: "a", origin: { kind: "user" } } },
  { type: "chat/turnStarted", turnId: "t", message: { text: "a", origin: { kind: "user" } } },
  { type: "chat/turnCancelled", turnId: "t" },
  { type: "chat/pendingMessageRemoved", kind: "queued", id: "m" },
])("a client that only reads is refused the action %j", async (action) => {
  await expect(sent(action, sender("one", ["answer"]))).rejects.toMatchObject({
    code: "forbidden",
  });
});

const picture = {
  type: "embeddedResource",
  label: "screen.png",
  contentType: "image/png",
  data: "iVBORw0KGgo=",
};
const withPicture = { text: "look", origin: { kind: "user" }, attachments: [picture] };

test("no client and no log gets the data of a picture, from a draft or from an action that was refused", async () => {
  const writer = sender("one", ["write"]);
  const told: unknown[] = [];
  const channels = new Set([CHANNEL, toChatUri(CHANNEL)]);
  const reader = { clientId: "one", channels, notify: (_: string, params: object) => told.push(params) };
  host.join(reader);
  const feed = await host.feedOf(CHANNEL);
  const before = host.serverSeq;
  await sent({ type: "chat/draftChanged", draft: withPicture } as { readonly type: string }, writer);
  expect(feed.chat.draft?.attachments).toMatchObject([
    { type: "simple", label: "screen.png", modelRepresentation: "[picture, image/png]" },
  ]);
  const action = { type: "chat/turnStarted", turnId: "t", message: withPicture };
  const refusal = { channel: toChatUri(CHANNEL), action, origin: writer.origin, reason: "no" };
  host.refuse(reader, refusal);
  expect(told).toHaveLength(2);
  expect(JSON.stringify([told, feed.chat, host.missedBy(reader, before)])).not.toContain(picture.data);
  await sent({ type: "chat/draftChanged" }, writer);
  expect(feed.chat.draft).toBeUndefined();
});

test("a message with too many attachments is refused", async () => {
  const attachments = Array.from({ length: LIMITS.attachments + 1 }, () => picture);
  const draft = { ...withPicture, attachments };
  await expect(
    sent({ type: "chat/draftChanged", draft } as { readonly type: string }, sender("one", ["write"])),
  ).rejects.toThrow(/too many attachments/u);
});

test("a client that only reads answers no question", async () => {
  const action = { type: "chat/toolCallConfirmed", turnId: "t", toolCallId: "c", approved: true };
  await expect(sent(action, sender("one", []))).rejects.toMatchObject({
    code: "forbidden",
  });
});

test("a client is active only for itself, until its connection ends", async () => {
  const active = (clientId: string) => ({ type: "session/activeClientSet", activeClient: { clientId } });
  const [one, other] = [sender("one", []), sender("other", [])];
  await expect(sent(active("other"), one)).rejects.toThrow(/itself/u);
  await sent(active("one"), one);
  await sent(active("other"), other);
  const feed = await host.feedOf(CHANNEL);
  const clients = (): readonly string[] => feed.session.activeClients.map(({ clientId }) => clientId);
  expect(clients()).toEqual(["one", "other"]);
  host.leave({ clientId: "one", channels: new Set(), notify: () => undefined });
  expect(clients()).toEqual(["other"]);
});

/** The actions that a reader of the session and its chat receives from now on. */
function heard(): object[] {
  const told: object[] = [];
  const notify = (_: string, params: object): void => void told.push(params);
  host.join({ clientId: "reader", channels: new Set([CHANNEL, toChatUri(CHANNEL)]), notify });
  return told;
}

test("all clients receive only the known fields of an action", async () => {
  const feed = await host.feedOf(CHANNEL);
  const message = { text: "a", origin: { kind: "user" } };
  const startedAt = "2026-03-01T10:00:00.000Z";
  feed.act({ type: "chat/turnStarted", turnId: "t", startedAt, message });
  const actions = [
    { type: "chat/pendingMessageSet", kind: "queued", id: "m", message },
    { type: "chat/queuedMessagesReordered", order: ["m"] },
    { type: "chat/pendingMessageRemoved", kind: "queued", id: "m" },
    { type: "session/isReadChanged", isRead: true },
    { type: "session/activeClientSet", activeClient: { clientId: "one", tools: [{ name: "a" }] } },
    { type: "session/activeClientRemoved", clientId: "one" },
  ] as const;
  const told = heard();
  for (const action of actions) {
    const given = { ...action, extra: "x" };
    await sent(given, sender("one", ["write"]));
  }
  expect(told).toEqual(actions.map((action) => expect.objectContaining({ action })));
});

test("an active client that tells too much about itself is refused, and a time of any length", async () => {
  const told = heard();
  const feed = await host.feedOf(CHANNEL);
  const set = (tools: string) => ({
    type: "session/activeClientSet",
    activeClient: { clientId: "one", tools },
  });
  const chars = LIMITS.activeClientChars - JSON.stringify(set("").activeClient).length;
  await expect(sent(set("x".repeat(chars + 1)), sender("one", []))).rejects.toThrow(/more than 200000 char/u);
  expect([told, feed.session.activeClients]).toEqual([[], []]);
  await sent(set("x".repeat(chars)), sender("one", []));
  expect(feed.session.activeClients).toHaveLength(1);
  const startedAt = `2026-03-01T10:00:00.${"0".repeat(LIMITS.timeChars)}Z`;
  const message = { text: "a", origin: { kind: "user" } };
  const started = { type: "chat/turnStarted", turnId: "t", startedAt, message };
  await expect(sent(started, sender("one", ["write"]))).rejects.toThrow(/not valid/u);
});

test("all clients receive the reason of an answer as it is stored: cut", async () => {
  const feed = await host.feedOf(CHANNEL);
  vi.spyOn(feed, "questionOf").mockReturnValue("q");
  vi.spyOn(feed, "key", "get").mockReturnValue("continuo:1");
  const answered = vi.spyOn(host.machine.chat, "answer");
  const told = heard();
  const reasonMessage = "x".repeat(LIMITS.reasonChars + 1);
  const action = { type: "chat/toolCallConfirmed", turnId: "t", toolCallId: "c", approved: false };
  const given = { ...action, reasonMessage };
  await sent(given, sender("one", ["answer"]));
  const cut = "x".repeat(LIMITS.reasonChars);
  expect(answered.mock.calls[0]?.[1]).toMatchObject({ outcome: "denied", reason: cut });
  expect(told).toMatchObject([{ action: { ...action, reason: "denied", reasonMessage: cut } }]);
});
