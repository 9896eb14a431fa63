/** The actions of clients in a session that has no message yet, with what each of them may do. */

import { ContinuoError } from "@continuo/core/model";
import type { MachineService } from "@continuo/core/wire/machine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { dispatch, type Sender } from "./client-actions.ts";
import { AhpHost } from "./host.ts";
import { toChatUri } from "./uris.ts";

const CHANNEL = "claude:/draft";
let host: AhpHost;
beforeEach(async () => {
  const machine = {
    sessions: async () => ({ sessions: [], agents: [], nextCursor: null }),
    known: () => Promise.reject(new ContinuoError("not_found", "there is no such session")),
    chat: { agentsIn: async (cwd: string) => ({ cwd, agents: ["claude"], agent: "claude" }) },
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
