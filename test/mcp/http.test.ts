/** The tools at `/mcp` of a server: who may call them, and what their answers leave out. */

import { type ContinuoServer, createAuthenticate, createServer } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { mcpService } from "../../src/cli/mcp/index.ts";
import type { Shell } from "../../src/cli/terminal/index.ts";
import {
  CLAUDE_ID,
  claudeFile,
  claudeText,
  cleanEnv,
  createHome,
  type Home,
  writeSessions,
} from "../cli/home.ts";
import { ENVELOPE, type Reply } from "./wire-client.ts";

let home: Home;
let store: Awaited<ReturnType<typeof openStore>>;
let server: ContinuoServer;

beforeEach(async () => {
  home = createHome();
  writeSessions(home);
  store = await openStore("memory:");
  const shell = { home: home.path, cwd: home.path, env: cleanEnv(home.path) } as unknown as Shell;
  server = createServer({
    store: (workspaceId) => store.forWorkspace(workspaceId),
    authenticate: createAuthenticate(store),
    mcp: mcpService(shell),
  });
});
afterEach(async () => {
  await server.close();
  await store.close();
  home[Symbol.dispose]();
});

const URL_OF = "http://127.0.0.1:4747/mcp";
const PEER = { address: "127.0.0.1", isLoopback: true };

async function tokenFor(scopes: readonly string[], workspaceId = "default"): Promise<string> {
  const owner = store.forWorkspace(workspaceId);
  return (await owner.createToken({ scopes, label: "test", issuedFrom: "loopback" })).secret;
}

interface Asking {
  readonly token?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function post(method: string, params: object, { token, headers }: Asking = {}): Promise<Response> {
  const name = "name" in params ? { "mcp-name": String(params.name) } : {};
  const request = new Request(URL_OF, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-method": method,
      "mcp-protocol-version": "2026-07-28",
      ...name,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return await server.fetch(request, PEER);
}

function call(name: string, args: object, token: string): Promise<Response> {
  return post("tools/call", { name, arguments: args, ...ENVELOPE }, { token });
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into it.
async function resultOf(response: Response | Promise<Response>): Promise<any> {
  const { result } = (await (await response).json()) as Reply;
  return result;
}

test("a token with machine:read calls the tools by 2026-07-28, one request at a time", async () => {
  const token = await tokenFor(["machine:read"]);
  const response = await call("search", { query: "build" }, token);
  expect(response.status).toBe(200);
  const result = await resultOf(response);
  expect(result.structuredContent.results).toMatchObject([{ session: `claude:${CLAUDE_ID}`, turn: 1 }]);
  const listed = await resultOf(post("tools/list", ENVELOPE, { token }));
  expect(listed.tools.map(({ name }: { name: string }) => name)).toEqual([
    ...["search", "grep", "read", "digest", "recall", "who", "fix", "how"],
  ]);
});

test("an older client is answered without a session", async () => {
  const token = await tokenFor(["machine:read"]);
  const older = { "mcp-protocol-version": "2025-11-25" };
  const opened = await post(
    "initialize",
    { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "older", version: "1" } },
    { token, headers: older },
  );
  expect(opened.status).toBe(200);
  expect(opened.headers.get("mcp-session-id")).toBeNull();
  expect(await opened.text()).toContain('"protocolVersion":"2025-11-25"');
  const called = await post(
    "tools/call",
    { name: "search", arguments: { query: "build" } },
    { token, headers: older },
  );
  expect(await called.text()).toContain("Fix the build");
});

test("any other token is refused, and the answer reveals nothing of the machine", async () => {
  expect((await post("tools/list", ENVELOPE)).status).toBe(401);
  expect((await post("tools/list", ENVELOPE, { token: "wrong" })).status).toBe(401);
  for (const scope of ["admin", "session:*:read", "machine:write"]) {
    const response = await call("search", { query: "build" }, await tokenFor([scope]));
    expect(response.status).toBe(403);
    expect(await response.text()).not.toContain("build");
  }
  const elsewhere = await store.createToken({ scopes: ["machine:read"], label: "test" });
  expect((await call("search", { query: "build" }, elsewhere.secret)).status).toBe(403);
  const foreign = { token: await tokenFor(["machine:read"]), headers: { origin: "https://evil.example" } };
  expect((await post("tools/list", ENVELOPE, foreign)).status).toBe(403);
});

test("a session of a workspace is not shown, whatever the token's workspace is", async () => {
  const own = await openStore(`sqlite:${home.path}/.continuo/continuo.db`);
  try {
    await own.createSession({ sessionId: "own-1", title: "A secret plan" });
    await own.append("own-1", [
      { type: "message_sent", data: { content: "The plan is secret" }, actor: { kind: "person" } },
    ]);
  } finally {
    await own.close();
  }
  for (const workspace of ["default", "other"]) {
    const token = await tokenFor(["machine:read"], workspace);
    const found = await resultOf(call("search", { query: "secret" }, token));
    expect(found.structuredContent).toMatchObject({ total: 0, results: [] });
    const read = await resultOf(call("read", { session: "continuo:own-1" }, token));
    expect(read).toMatchObject({ isError: true });
    expect(read.content[0].text).not.toContain("plan");
  }
});

test("recall asks for the session, since no agent started the server", async () => {
  const token = await tokenFor(["machine:read"]);
  const result = await resultOf(call("recall", {}, token));
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("Give `session`") }],
  });
  const named = await resultOf(call("recall", { session: CLAUDE_ID }, token));
  expect(named.structuredContent).toMatchObject({ status: "nothing cut" });
});

test("a regular expression that takes forever ends with an error, and the server answers the next call", async () => {
  const token = await tokenFor(["machine:read"]);
  home.write(
    claudeFile(CLAUDE_ID),
    claudeText(CLAUDE_ID, [
      { uuid: "u1", parent: null, role: "user", content: `${"a".repeat(60)}!`, time: "10:00:00" },
    ]),
  );
  const result = await resultOf(call("grep", { pattern: "^(a+)+$" }, token));
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^too_large: /u) }],
  });
  expect((await resultOf(call("grep", { pattern: "a!" }, token))).structuredContent.total).toBe(1);
});

test("a body that is too large is refused, other methods are not offered, and without a service the path is not there", async () => {
  const token = await tokenFor(["machine:read"]);
  expect((await call("search", { query: "x".repeat(1_100_000) }, token)).status).toBe(413);
  const get = new Request(URL_OF, { headers: { authorization: `Bearer ${token}` } });
  expect((await server.fetch(get, PEER)).status).toBe(405);
  const without = createServer({ store: () => store, authenticate: createAuthenticate(store) });
  expect((await without.fetch(get, PEER)).status).toBe(404);
  await without.close();
});
