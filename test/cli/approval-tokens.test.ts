/** `continuo approvals` at a server: what each token sees and may answer. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "@continuo/core/model";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { type Continuo, openContinuo } from "@continuo/server/runtime";
import { type OpenedStore, openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openServer } from "../server/harness/open-server.ts";
import { createHome, type Home, type Run } from "./home.ts";
import { runHere } from "./in-process.ts";

const asking: Agent = {
  name: "asking",
  async execute({ run }, { onEvent, onPermission, signal }) {
    const request = { approvalId: run.runId, toolName: "refund", readOnly: false, options: [] };
    const decision = await onPermission?.(request, { signal });
    await onEvent({ type: "message", content: [{ type: "text", text: decision?.outcome ?? "none" }] });
    return {};
  },
};

let home: Home;
let store: OpenedStore;
let c: Continuo;
let server: ServerHandle;
let ids: Readonly<Record<"ann" | "bob", string>>;

beforeEach(async () => {
  home = createHome();
  store = await openStore("memory:");
  c = await openContinuo(store, { agents: [asking], pollMs: 20 });
  server = await openServer(store, {
    authenticate: createAuthenticate(store),
    sessions: (workspaceId) =>
      workspaceId === store.workspaceId ? c : openContinuo(store.forWorkspace(workspaceId), { work: false }),
  });
  for (const name of ["ann", "bob"]) void c.session(name, { create: true }).send("refund it", { id: "1" });
  const open = () => c.approvals.list({ status: "open" });
  await expect.poll(async () => (await open()).length).toBe(2);
  const [ann = "", bob = ""] = (await open())
    .sort((a, b) => (a.sessionId < b.sessionId ? -1 : 1))
    .map(({ id }) => id);
  ids = { ann, bob };
});

afterEach(async () => {
  await server.close();
  await c.close({ graceMs: 0 });
  await store.close();
  home[Symbol.dispose]();
});

async function approvals(secret: string, ...args: readonly string[]): Promise<Run> {
  const file = join(home.path, "token");
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return await runHere(home, ["approvals", ...args, "--server", server.url, "--token-file", file]);
}

async function tokenFor(...scopes: readonly string[]): Promise<string> {
  return (await store.createToken({ scopes })).secret;
}

const seen = async (secret: string): Promise<readonly string[]> =>
  (JSON.parse((await approvals(secret, "--json")).stdout) as { sessionId: string }[])
    .map(({ sessionId }) => sessionId)
    .sort();

test("a token for the approvals of one session sees and answers those, and no other one", async () => {
  const secret = await tokenFor("approval:ann:read,write");
  expect(await seen(secret)).toEqual(["ann"]);
  const other = await approvals(secret, "answer", ids.bob, "granted");
  expect([other.code, other.stderr]).toEqual([3, expect.stringContaining(`there is no approval ${ids.bob}`)]);
  expect((await approvals(secret, "answer", ids.ann.slice(0, 12), "granted")).code).toBe(0);
  expect(await c.session("ann").run("1").result()).toMatchObject({ text: "granted" });
  expect(await c.approvals.get(ids.bob)).toMatchObject({ status: "open" });
});

test.each([
  ["session:*:read", "a token that reads sessions"],
  ["approval:*:read", "a token that reads approvals"],
])("with %s, a person sees the questions and cannot answer them", async (scope) => {
  const secret = await tokenFor(scope);
  expect(await seen(secret)).toEqual(["ann", "bob"]);
  const refused = await approvals(secret, "answer", ids.ann, "granted");
  expect([refused.code, refused.stdout]).toEqual([5, ""]);
  expect(await c.approvals.get(ids.ann)).toMatchObject({ status: "open" });
});

test("a token of another workspace sees no question of this one, and answers none", async () => {
  const other = store.forWorkspace("other");
  const { secret } = await other.createToken({ scopes: ["admin"] });
  expect(await seen(secret)).toEqual([]);
  expect((await approvals(secret, "answer", ids.ann, "granted")).code).toBe(3);
  expect(await c.approvals.get(ids.ann)).toMatchObject({ status: "open" });
});

test("a token that was revoked, and one that nobody made, are refused with a hint", async () => {
  const { secret, tokenId } = await store.createToken({ scopes: ["admin"] });
  expect(await seen(secret)).toEqual(["ann", "bob"]);
  await store.revokeToken(tokenId);
  for (const bad of [secret, "ctk_nobody"]) {
    // A server looks at the tokens of a store again after a moment.
    await expect.poll(async () => (await approvals(bad, "list")).code).toBe(5);
    const refused = await approvals(bad, "answer", ids.ann, "granted");
    expect([refused.code, refused.stdout]).toEqual([5, ""]);
    expect(refused.stderr.trim().split("\n").length).toBeGreaterThan(1);
  }
  expect(await c.approvals.get(ids.ann)).toMatchObject({ status: "open" });
});
