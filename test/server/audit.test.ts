/** The audit log: in whose name the server writes an entry, from which address, and to whom it shows the entries. */

import type { IssuedToken } from "@continuo/core/model";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { followAudit, type OpenedStore, openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openPage } from "./harness/open-page.ts";
import { openServer } from "./harness/open-server.ts";

const SERVER = { who: "server", from: null };
const FROM = "127.0.0.1";

let store: OpenedStore;
let server: ServerHandle;
let admin: IssuedToken;
const lines: string[] = [];
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openServer(store, {
    store: (workspaceId, by = SERVER) => store.forWorkspace(workspaceId, by),
    authenticate: createAuthenticate(store),
    securityLog: (line) => void lines.push(line),
    followAudit: followAudit(store),
  });
  admin = await store.createToken({
    scopes: ["admin"],
    label: "token=ghp_abcdefghijklmnopqrstuvwxyz0123456789",
  });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

function ask(path: string, secret: string, method = "GET"): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  return fetch(`${server.url}${path}`, { method, headers });
}

interface Answer {
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly nextCursor: string | null;
}

async function audit(query = ""): Promise<Answer> {
  return (await (await ask(`/v1/audit${query}`, admin.secret)).json()) as Answer;
}

test("the audit log names the token for each deletion by a client, and for each action of its page", async () => {
  for (const path of ["channels/team", "sessions/one"]) {
    await ask(`/v1/stream/${path}`, admin.secret, "PUT");
    await ask(`/v1/stream/${path}`, admin.secret, "DELETE");
  }
  const page = await openPage(server.url, admin.secret);
  await ask("/v1/pages/cookie", page.secret, "DELETE");
  const { entries } = await audit(`?who=token:${admin.tokenId}`);
  expect(entries.map(({ who, from, what, target }) => [who, from, what, target])).toEqual(
    [
      ["log_deleted", "channels/team"],
      ["session_deleted", expect.stringContaining("one")],
      ["token_created", expect.any(String)],
      ["token_created", expect.any(String)],
      ["token_revoked", expect.any(String)],
    ]
      .map((act) => [`token:${admin.tokenId}`, FROM, ...act])
      .reverse(),
  );
});

test("only administrators of the workspace can read the audit log, page by page, and it shows no secret", async () => {
  const other = await store.createToken({
    scopes: ["channel:*:read,write", "machine:read", "metrics"],
    anyHandle: true,
  });
  expect((await ask("/v1/audit", other.secret)).status).toBe(403);
  const elsewhere = await store.forWorkspace("elsewhere").createToken({ scopes: ["admin"] });
  const text = await (await ask("/v1/audit", elsewhere.secret)).text();
  expect(text).toContain(elsewhere.tokenId);
  expect(text).not.toContain(admin.tokenId);
  const { entries, nextCursor } = await audit("?what=token_created&limit=1");
  expect(entries).toHaveLength(1);
  const rest = await audit(`?what=token_created&cursor=${nextCursor}`);
  expect(JSON.stringify(rest)).toContain(admin.tokenId);
  expect(JSON.stringify(rest)).not.toContain("ghp_");
  expect(JSON.stringify(rest)).not.toContain("continuo_");
  for (const bad of ["since=yesterday", "what=nothing", "limit=0", "limit=1001", "more=1"]) {
    expect([bad, (await ask(`/v1/audit?${bad}`, admin.secret)).status]).toEqual([bad, 400]);
  }
});

test("tokens that a command makes and revokes are security events, and the token of a page is not recorded twice", async () => {
  const command = store.forWorkspace("default", { who: "user:ada", from: "command" });
  const { tokenId } = await command.createToken({ scopes: ["channel:team:read"] });
  await command.revokeToken(tokenId);
  const ofToken = (): readonly unknown[] =>
    lines.map((line) => JSON.parse(line)).filter((line) => line.tokenId === tokenId);
  await vi.waitFor(() => expect(ofToken()).toHaveLength(2), 10_000);
  const facts = {
    address: "command",
    who: "user:ada",
    workspaceId: "default",
    time: expect.any(String),
    tokenId,
  };
  expect(ofToken()).toEqual([
    { ...facts, event: "token_created" },
    { ...facts, event: "token_revoked" },
  ]);
  const labels = lines.filter((line) => /token_(?:created|revoked)/u.test(line) && line.includes("token:"));
  expect(labels).toEqual([]);
  expect(lines.join("\n")).not.toContain("continuo_");
});
