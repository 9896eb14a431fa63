/** Access for the browser extension: who may ask, who may answer, and who gets the token. */

import type { Store } from "@continuo/core/model";
import {
  EXTENSION_PROTOCOL,
  type ExtensionAccess,
  type ExtensionRequested,
  extensionLabel,
} from "@continuo/core/wire";
import { createAuthenticate, createServer, extensionOrigins, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SETTINGS } from "../../extension/messages/messages.ts";
import { DEFAULT_LISTEN } from "../../src/cli/serve/commands.ts";
import { openServer } from "./harness/open-server.ts";

const EXTENSION = `chrome-extension://${"b".repeat(32)}`;
const OTHER = `chrome-extension://${"c".repeat(32)}`;

let store: Store;
let server: ServerHandle;
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openServer(store, {
    authenticate: createAuthenticate(store),
    reach: "machine",
    hosts: ["127.0.0.1"],
  });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

type Headers = Readonly<Record<string, string>>;

const post = (path: string, body: unknown, headers: Headers = {}): Promise<Response> =>
  fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const HELLO = { protocol: EXTENSION_PROTOCOL, version: "1.2.3", site: "https://video.example/watch?v=1" };

async function ask(origin = EXTENSION): Promise<ExtensionRequested> {
  const answer = await post("/v1/extension/requests", HELLO, { origin });
  expect(answer.status).toBe(201);
  return (await answer.json()) as ExtensionRequested;
}

const pageAt = (path: string, headers: Headers = {}): Promise<Response> =>
  fetch(`${server.url}${path}`, { headers });

async function nonceOf({ page }: ExtensionRequested): Promise<string> {
  return /data-nonce="([^"]+)"/u.exec(await (await pageAt(page)).text())?.[1] ?? "";
}

const collect = (
  { requestId, secret }: Pick<ExtensionRequested, "requestId" | "secret">,
  origin = EXTENSION,
): Promise<Response> => post(`/v1/extension/requests/${requestId}/token`, { secret }, { origin });

const decide = (requestId: string, nonce: string, headers: Headers = { origin: server.url }) =>
  post(`/v1/extension/requests/${requestId}/answer`, { nonce, isGranted: true, code: "" }, headers);

const stateOf = async (answer: Response): Promise<ExtensionAccess> =>
  (await answer.json()) as ExtensionAccess;

test("an extension with a person's permission receives one token for continuous sessions, and its origin is allowed", async () => {
  const list = (origin: string, token: string): Promise<Response> =>
    pageAt("/v1/live", { origin, authorization: `Bearer ${token}` });
  const asked = await ask();
  expect(await stateOf(await collect(asked))).toEqual({ state: "waiting" });
  expect((await decide(asked.requestId, await nonceOf(asked))).status).toBe(204);
  const access = await stateOf(await collect(asked));
  const token = access.state === "granted" ? access.token : "";
  expect((await collect(asked)).status).toBe(404);
  const answer = await list(EXTENSION, token);
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, EXTENSION]);
  expect((await list(OTHER, token)).status).toBe(403);
  const { items } = await store.listTokens({});
  const made = items.filter(({ label }) => label === extensionLabel(EXTENSION));
  expect(made.map(({ scopes }) => scopes)).toEqual([["live:*:read,write"]]);
  // It expires in ninety days, whether it is used or not.
  const days = (Date.parse(String(made[0]?.expiresAt)) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(90);
  await store.createLog({ logId: "channels/team" });
  for (const path of ["/v1/stream/channels/team", "/v1/audit", "/metrics"]) {
    const refused = await pageAt(path, { origin: EXTENSION, authorization: `Bearer ${token}` });
    expect([path, refused.status]).toEqual([path, 403]);
  }
  // A server that starts later knows the origin, until the token is revoked.
  expect(await extensionOrigins(store)).toEqual([EXTENSION]);
  await store.revokeToken(made[0]?.tokenId ?? "");
  expect(await extensionOrigins(store)).toEqual([]);
});

test("if an extension collects its token twice at the same time, one request gets the token and the other one nothing", async () => {
  const asked = await ask();
  await decide(asked.requestId, await nonceOf(asked));
  const half = (): { readonly answer: Promise<Response>; readonly end: () => void } => {
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const writer = body.writable.getWriter();
    void writer.write(new TextEncoder().encode(`{"secret":"${asked.secret}"`));
    const answer = fetch(`${server.url}/v1/extension/requests/${asked.requestId}/token`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: EXTENSION },
      body: body.readable,
      duplex: "half",
    });
    return {
      answer,
      end: () => void writer.write(new TextEncoder().encode("}")).then(() => writer.close()),
    };
  };
  const both = [half(), half()];
  // Both requests are at the server before either body is complete.
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (const { end } of both) end();
  const statuses = (await Promise.all(both.map(({ answer }) => answer))).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 404]);
});

test("only the extension that asked collects the token, with the secret that it received", async () => {
  const asked = await ask();
  await decide(asked.requestId, await nonceOf(asked));
  expect((await collect(asked, OTHER)).status).toBe(403);
  expect((await collect({ ...asked, secret: "x".repeat(43) })).status).toBe(403);
  expect((await collect(asked, "https://evil.example")).status).toBe(403);
  expect((await stateOf(await collect(asked))).state).toBe("granted");
});

test("a website, a program without an origin and a page that another site opened get no access", async () => {
  for (const headers of [
    {},
    { origin: "https://evil.example" },
    { origin: server.url },
  ] as readonly Headers[]) {
    expect((await post("/v1/extension/requests", HELLO, headers)).status).toBe(403);
  }
  const asked = await ask();
  for (const site of ["cross-site", "same-site"]) {
    expect((await pageAt(asked.page, { "sec-fetch-site": site })).status).toBe(403);
  }
  const nonce = await nonceOf(asked);
  for (const headers of [
    {},
    { origin: EXTENSION },
    { origin: "null" },
    { origin: server.url, "sec-fetch-site": "same-site" },
  ] as readonly Headers[]) {
    expect([headers, (await decide(asked.requestId, nonce, headers)).status]).toEqual([headers, 403]);
  }
  expect((await decide(asked.requestId, "wrong")).status).toBe(403);
  expect(await stateOf(await collect(asked))).toEqual({ state: "waiting" });
});

test("the page names the extension that asks, cannot be framed, and runs only its own script", async () => {
  const page = await pageAt((await ask()).page);
  const text = await page.text();
  for (const shown of ["b".repeat(32), "https://video.example<", "not the id that Continuo"])
    expect(text).toContain(shown);
  expect(text).not.toContain("watch?v=1");
  const ofFile = await post("/v1/extension/requests", { ...HELLO, site: "file://" }, { origin: EXTENSION });
  const { page: pageOfFile } = (await ofFile.json()) as ExtensionRequested;
  expect(await (await pageAt(pageOfFile)).text()).not.toContain("Asked on");
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self';/u,
  );
  expect(policy).toContain("frame-ancestors 'none'");
  expect([page.headers.get("x-frame-options"), page.headers.get("cross-origin-opener-policy")]).toEqual([
    "DENY",
    "same-origin",
  ]);
});

test("the page of a server that requires no token says that the extension may do everything", async () => {
  const open = await openServer(store, { reach: "machine", hosts: ["127.0.0.1"] });
  const answer = await fetch(`${open.url}/v1/extension/requests`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: EXTENSION },
    body: JSON.stringify(HELLO),
  });
  const { page } = (await answer.json()) as ExtensionRequested;
  const texts = await Promise.all(
    [`${open.url}${page}`, `${server.url}${(await ask()).page}`].map(async (url) =>
      (await fetch(url)).text(),
    ),
  );
  expect(texts.map((text) => text.includes("do everything"))).toEqual([true, false]);
  expect(texts.map((text) => text.includes("It may not"))).toEqual([false, true]);
  await open.close();
});

test("an extension of another version is refused, and the hint names the command that updates it", async () => {
  const hintOf = async (protocol: unknown): Promise<string> => {
    const answer = await post("/v1/extension/requests", { ...HELLO, protocol }, { origin: EXTENSION });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([501, EXTENSION]);
    return ((await answer.json()) as { readonly error: { readonly hint: string } }).error.hint;
  };
  expect(await hintOf(EXTENSION_PROTOCOL - 1)).toContain("`continuo extension`");
  expect(await hintOf(EXTENSION_PROTOCOL + 1)).toContain("npm install");
});

test("a later request of an extension ends its earlier one, and only a few extensions wait at once", async () => {
  const first = await ask();
  const nonce = await nonceOf(first);
  const second = await ask();
  // Nobody can change what a person grants: the page of the earlier request does not answer another one.
  expect((await decide(first.requestId, nonce)).status).toBe(404);
  expect((await decide(second.requestId, nonce)).status).toBe(403);
  expect((await collect(first)).status).toBe(404);
  expect((await stateOf(await collect(second))).state).toBe("waiting");
  const nameOf = (n: number): string =>
    `moz-extension://${String(n).padStart(8, "0")}-0000-4000-8000-000000000000`;
  const statuses: number[] = [];
  for (let n = 0; n < 16; n++) {
    statuses.push((await post("/v1/extension/requests", HELLO, { origin: nameOf(n) })).status);
  }
  expect(statuses.at(-1)).toBe(429);
  expect(statuses.slice(0, 14).every((status) => status === 201)).toBe(true);
});

test("if the system does not know the user of a connection, the page asks for a code from the server's terminal", async () => {
  const lines: string[] = [];
  const own = createServer({
    store: (workspaceId) => store.forWorkspace(workspaceId),
    authenticate: createAuthenticate(store),
    reach: "machine",
    report: (line) => lines.push(line),
  });
  const url = "http://127.0.0.1:4747";
  // This request has no connection, so the system cannot know its user.
  const send = (path: string, body: unknown, origin: string): Promise<Response> =>
    own.fetch(
      new Request(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", host: "127.0.0.1:4747", origin },
        body: JSON.stringify(body),
      }),
      { address: "127.0.0.1", isLoopback: true },
    );
  const asked = (await (await send("/v1/extension/requests", HELLO, EXTENSION)).json()) as ExtensionRequested;
  const code = /: ([a-z2-9]{10})$/u.exec(lines.at(-1) ?? "")?.[1] ?? "";
  const page = await own.fetch(new Request(`${url}${asked.page}`), {
    address: "127.0.0.1",
    isLoopback: true,
  });
  const text = await page.text();
  expect([text.includes('id="code"'), text.includes(code)]).toEqual([true, false]);
  const nonce = /data-nonce="([^"]+)"/u.exec(text)?.[1] ?? "";
  const answer = async (typed: string): Promise<number> =>
    (
      await send(
        `/v1/extension/requests/${asked.requestId}/answer`,
        { nonce, isGranted: true, code: typed },
        url,
      )
    ).status;
  expect([await answer(""), await answer("aaaaaaaaaa"), await answer(code)]).toEqual([403, 403, 204]);
  await own.close();
});

test("the extension looks for the server at the address where `continuo serve` listens by default", () => {
  expect(SETTINGS.serverUrl).toBe(`http://${DEFAULT_LISTEN}`);
});

test("a server that other machines can reach gives access to no extension, even if it allows the extension's origin", async () => {
  const far = await openServer(store, { authenticate: createAuthenticate(store), origins: [OTHER] });
  const statusOf = async (origin: string): Promise<number> => {
    const answer = await fetch(`${far.url}/v1/extension/requests`, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify(HELLO),
    });
    return answer.status;
  };
  expect([await statusOf(EXTENSION), await statusOf(OTHER)]).toEqual([403, 401]);
  await far.close();
});
