/** Sessions and approvals of a server with tokens: agents run in another process, which receives the messages. */

import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { type Approval, type Continuo, openContinuo } from "@continuo/server/runtime";
import { type OpenedStore, openStore } from "@continuo/store";
import { EchoAgent } from "@continuo/store/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openServer } from "./harness/open-server.ts";

let store: OpenedStore;
let front: Continuo;
let listening: ServerHandle;

beforeEach(async () => {
  store = await openStore("memory:");
  front = await openContinuo(store, { work: false });
  listening = await openServer(store, { authenticate: createAuthenticate(store), sessions: () => front });
});
afterEach(async () => {
  await listening.close();
  await front.close({ graceMs: 0 });
  await store.close();
});

async function tokenWith(
  scopes: readonly string[],
  handle?: string,
): Promise<(path: string, body?: object) => Promise<Response>> {
  const { secret } = await store.createToken({ scopes, ...(handle === undefined ? {} : { handle }) });
  return (path, body) =>
    fetch(`${listening.url}/v1${path}`, {
      headers: { authorization: `Bearer ${secret}` },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
}

test("a message is stored until a worker answers it, and its sender can follow the run", async () => {
  const ann = await tokenWith(["session:ann-*:read,write"]);
  const sent = await ann("/sessions/ann-1/messages", { text: "hello", id: "1", agent: "echo" });
  expect([sent.status, await sent.json()]).toMatchObject([202, { id: "1", status: "pending" }]);
  await using worker = await openContinuo(store, { agents: [new EchoAgent()], pollMs: 20 });
  const events = await (await ann("/sessions/ann-1/runs/1/events")).text();
  expect(events).toContain('"type":"run_completed"');
  expect(worker.store.workspaceId).toBe(store.workspaceId);
  expect((await ann("/sessions/bob-1")).status).toBe(404);
  const page = await ann("/sessions/ann-1/html");
  expect(page.headers.get("content-security-policy")).toMatch(
    /script-src '?(?:sha256|nonce)?[^;]*; .*frame-ancestors 'none'$/u,
  );
});

test("a token that only reads a session cannot write to it, and a token for another session cannot see it", async () => {
  const reader = await tokenWith(["session:ann:read"]);
  await store.createSession({ sessionId: "ann" });
  expect((await reader("/sessions/ann")).status).toBe(200);
  expect((await reader("/sessions/ann/messages", { text: "x" })).status).toBe(403);
  const writer = await tokenWith(["session:ann:write"]);
  expect((await writer("/sessions/ann")).status).toBe(404);
  const other = await tokenWith(["channel:*:read,write", "stream:*:read,write"]);
  expect((await other("/sessions/ann")).status).toBe(404);
});

test("an answer to an approval needs a scope of its own, and has the name of the token", async () => {
  await using _worker = await openContinuo(store, {
    pollMs: 20,
    agents: [
      {
        name: "asking",
        async execute({ run }, { onPermission, signal }) {
          const asked = { approvalId: run.runId, toolName: "rm", readOnly: false, options: [] };
          await onPermission?.(asked, { signal });
          return {};
        },
      },
    ],
  });
  const ann = await tokenWith(["session:ann:read,write"]);
  const boss = await tokenWith(["approval:ann:read,write"], "boss");
  const stranger = await tokenWith(["approval:bob:read,write"]);
  await ann("/sessions/ann/messages", { text: "May I?", agent: "asking" });
  const open = async (who: typeof ann) => (await (await who("/approvals")).json()) as readonly Approval[];
  await expect.poll(async () => (await open(ann)).length).toBe(1);
  const [approval] = await open(boss);
  const path = `/approvals/${approval?.id}`;
  expect(await open(stranger)).toEqual([]);
  expect((await stranger(path, { outcome: "granted" })).status).toBe(404);
  expect((await ann(path, { outcome: "granted" })).status).toBe(403);
  expect(await (await boss(path, { outcome: "granted", reason: "seen" })).json()).toMatchObject({
    by: "boss",
    reason: "seen",
  });
  expect((await boss("/sessions/ann")).status).toBe(404);
  expect((await boss("/approvals?status=never")).status).toBe(400);
});

test("a token for chats reads and writes the chat of a session, and nothing else of it", async () => {
  await front.session("ann-1", { create: true }).send("hello", { id: "1", agent: "echo" });
  const { secret } = await store.createToken({
    scopes: [{ kind: "chat", beginsWith: "ann-", access: "write" }],
  });
  const statusOf = async (path: string, body?: object): Promise<number> => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (
      await fetch(`${listening.url}/v1${path}`, { headers: { authorization: `Bearer ${secret}` }, ...sent })
    ).status;
  };
  expect(await statusOf("/sessions/ann-1/chat")).toBe(200);
  expect(await statusOf("/sessions/ann-1/chat/stop", {})).toBe(200);
  expect(await statusOf("/sessions/ann-1/html")).toBe(403);
  expect(await statusOf("/sessions/ann-1/messages", { text: "hello" })).toBe(403);
  expect(await statusOf("/sessions/bob-1/chat")).toBe(404);
  expect(await statusOf("/stream/sessions/ann-1?offset=-1")).toBe(403);
});
