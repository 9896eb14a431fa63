/** The server for phones: the rights of a paired phone, other access to the server, and the end of a pairing. */

import { mkdirSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import type { PairAnswer, PhoneRights } from "@continuo/core/wire/machine";
import { createAuthenticate, createServer, PHONE_PARTS } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openPhoneDoor, type PhoneDoor, qrLines, tunnelOf } from "../../src/cli/view/phones.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { openServer } from "../server/harness/open-server.ts";
import { recordingMachine } from "../server/harness/recording-store.ts";

const URL_OF_TUNNEL = "https://laptop.example";
const HOST = "laptop.example";

const folder = scratchFolder("phones");
const changes: string[] = [];
const reports: string[] = [];
let shiftMs = 0;
let door: PhoneDoor;
beforeAll(async () => {
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><html lang=en><title>Continuo</title>");
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ files: [] }));
  const logs = await openStore("memory:");
  door = await openPhoneDoor({
    url: URL_OF_TUNNEL,
    logs: (workspaceId) => logs.forWorkspace(workspaceId),
    machine: async () => recordingMachine(changes),
    report: (line) => void reports.push(line),
    port: 0,
    tokens: await openStore("memory:", { now: () => Date.now() + shiftMs }),
    pageFolder: folder,
  });
});
afterAll(async () => {
  await door?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  changes.length = 0;
  reports.length = 0;
  shiftMs = 0;
  for (const { id } of (await door.phones.list()).phones) await door.phones.revoke(id);
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Sent {
  readonly host?: string;
  readonly origin?: string | null;
  readonly cookie?: string;
  readonly bearer?: string;
  readonly body?: unknown;
}

/** Sends a request like the tunnel. For a stream that does not end, only the first bytes are returned. */
function ask(method: string, path: string, sent: Sent = {}): Promise<Answer> {
  const { host = HOST, origin = URL_OF_TUNNEL, cookie, bearer, body } = sent;
  const headers: Record<string, string> = { host, "content-type": "application/json" };
  if (origin !== null) headers.origin = origin;
  if (cookie !== undefined) headers.cookie = cookie;
  if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${door.address}${path}`, { method, headers, agent: false }, (answer) => {
      let text = "";
      const done = (): void =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text });
      answer.on("data", (chunk) => {
        text += chunk;
        if (answer.headers["content-type"]?.startsWith("text/event-stream")) request.destroy();
      });
      answer.on("end", done).on("close", done).on("error", done);
    });
    request.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const codeOf = ({ link }: PairAnswer): string => decodeURIComponent(/#code=([^/]+)/u.exec(link)?.[1] ?? "");

let tabs = 0;
const open = (answer: PairAnswer, sent: Sent = {}): Promise<Answer> => {
  const nonce = `tab-of-a-phone-number-${++tabs}`;
  return ask("POST", "/v1/pages/cookie", { body: { code: codeOf(answer), nonce }, ...sent });
};

function cookieOf({ headers }: Answer): string {
  return headers["set-cookie"]?.[0]?.split(";", 1)[0] ?? "";
}

async function paired(rights: PhoneRights): Promise<{ readonly id: string; readonly cookie: string }> {
  const answer = await door.phones.pair({ name: "Pixel", rights });
  const entry = await open(answer);
  expect(entry.status).toBe(200);
  return { id: answer.phone.id, cookie: cookieOf(entry) };
}

test("a phone gets a cookie that scripts cannot read and other sites cannot send, and the link leads to its inbox", async () => {
  const answer = await door.phones.pair({ name: "Pixel", rights: "read" });
  expect(answer.link).toMatch(/^https:\/\/laptop\.example\/#code=[\w%.-]+\/inbox$/u);
  const { headers, body } = await open(answer);
  expect(headers["set-cookie"]?.[0]).toMatch(
    /^__Host-continuo-page=\S+; Path=\/; Max-Age=\d+; HttpOnly; Secure; SameSite=Strict$/u,
  );
  expect(JSON.parse(body)).toMatchObject({ secret: null, proofKey: null });
  expect(reports).toEqual([expect.stringContaining("a phone was paired")]);
});

/** The routes of the phones' server, as the server itself lists them, with `x` for each parameter. */
function routes(): readonly string[] {
  const store = () => {
    throw new Error("no request is sent to this server");
  };
  const listed = createServer(
    { store, authenticate: async () => store(), pageFolder: folder, machine: async () => store() },
    PHONE_PARTS,
  ).routes.map(({ path }) => path.replace(/:\w+(?:\{[^}]*\})?|\*/gu, "x"));
  return [...new Set(listed)];
}

const ANSWER = {
  approvalId: "a",
  outcome: "granted",
  page: { id: "p", name: "Pixel" },
};
const BODIES: Readonly<Record<string, unknown>> = {
  "/v1/machine/sessions/x/chat/answer": ANSWER,
  "/v1/machine/sessions/x/chat/prompt": { text: "delete everything" },
  "/v1/machine/sessions/x/chat/cancel": { runId: "r" },
  "/v1/machine/sessions/x/rename": { title: "mine" },
  "/v1/machine/chats": { text: "delete everything", agent: "claude", cwd: "/" },
  "/v1/machine/inbox/seen": { all: true },
};

/** Sends every request that a phone can send, and returns the paths that accepted one, and the changes. */
async function reached(rights: PhoneRights) {
  const { cookie } = await paired(rights);
  const through: string[] = [];
  for (const path of routes()) {
    // This request would sign the phone out.
    if (path === "/v1/pages/cookie") continue;
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const { status } = await ask(method, path, { cookie, body: BODIES[path] ?? {} });
      if (status < 300) through.push(`${method} ${path}`);
    }
  }
  return { through, changes: [...changes] };
}

test("a phone with the right to read changes nothing at any path", async () => {
  expect(routes().length).toBeGreaterThan(40);
  expect(await reached("read")).toEqual({ through: [], changes: [] });
});

test("a phone with the right to answer can answer a question and mark sessions as seen, and nothing else", async () => {
  expect(await reached("answer")).toEqual({
    through: ["POST /v1/machine/sessions/x/chat/answer", "POST /v1/machine/inbox/seen"],
    changes: ["chat.answer", "inbox.see"],
  });
});

test("a phone reads sessions and the inbox, but no stream, channel, tool, code or list of phones", async () => {
  const { cookie } = await paired("answer");
  const status = async (path: string): Promise<number> => (await ask("GET", path, { cookie })).status;
  for (const path of ["/v1/machine/sessions", "/v1/machine/sessions/x/history", "/v1/machine/inbox"])
    expect([path, await status(path)]).toEqual([path, 200]);
  for (const path of [
    "/v1/stream/channels/team",
    "/v1/channels",
    "/v1/live",
    "/v1/blobs/x",
    "/v1/audit",
    "/mcp",
    "/v1/machine/phones",
  ])
    expect([path, await status(path)]).toEqual([path, 404]);
  expect((await ask("POST", "/v1/pages/code", { cookie })).status).toBe(403);
  expect((await ask("GET", "/metrics", { cookie })).status).toBe(403);
  expect((await ask("GET", "/", {})).body).toContain("<html data-phone lang=en>");
});

test("a page of another site, a request without an origin, and another name of the server change nothing", async () => {
  const { cookie } = await paired("answer");
  const path = "/v1/machine/sessions/x/chat/answer";
  const post = async (sent: Sent): Promise<number> =>
    (await ask("POST", path, { cookie, body: ANSWER, ...sent })).status;
  expect(await post({ origin: "https://evil.example" })).toBe(403);
  expect(await post({ origin: null })).toBe(403);
  expect(await post({ origin: "null" })).toBe(403);
  expect(await post({ host: "rebound.example", origin: "http://rebound.example" })).toBe(403);
  expect(await post({ host: "127.0.0.1" })).toBe(403);
  expect(changes).toEqual([]);
  expect(await post({})).toBe(200);
});

test("the phones' server takes neither the cookie of a phone as a token nor any other token", async () => {
  const { cookie } = await paired("read");
  const [, secret = ""] = cookie.split("=");
  expect((await ask("GET", "/v1/machine/sessions", { bearer: secret })).status).toBe(401);
  const other = await openStore("memory:");
  const token = await other.createToken({ scopes: ["machine:read,write"], issuedFrom: "loopback" });
  expect((await ask("GET", "/v1/machine/sessions", { bearer: token.secret })).status).toBe(401);
  await other.close();
});

test("a second use of a link gives no access and ends the pairing, because one of the two users stole the link", async () => {
  const answer = await door.phones.pair({ name: "Pixel", rights: "read" });
  const cookie = cookieOf(await open(answer));
  expect((await ask("GET", "/v1/machine/sessions", { cookie })).status).toBe(200);
  const second = await open(answer);
  expect([second.status, second.headers["set-cookie"]]).toEqual([401, undefined]);
  await expect.poll(async () => (await ask("GET", "/v1/machine/sessions", { cookie })).status).toBe(401);
  expect((await door.phones.list()).phones).toEqual([]);
  expect(reports.join("\n")).toContain("two tabs sent the code of one page");
});

test("a link gives no access after two minutes, and is no longer listed", async () => {
  const answer = await door.phones.pair({ name: "Pixel", rights: "read" });
  expect((await door.phones.list()).phones).toMatchObject([{ name: "Pixel", state: "waiting" }]);
  shiftMs = 125_000;
  expect((await open(answer)).status).toBe(401);
  expect((await door.phones.list()).phones).toEqual([]);
});

test("paired phones are listed with their rights; a phone that is revoked or signs out loses access within a second", async () => {
  const first = await paired("answer");
  const second = await paired("read");
  const { url, phones } = await door.phones.list();
  expect(url).toBe(URL_OF_TUNNEL);
  expect(phones).toMatchObject([
    { id: first.id, name: "Pixel", rights: "answer", state: "paired", usedAt: expect.any(String) },
    { id: second.id, name: "Pixel", rights: "read", state: "paired" },
  ]);
  const weekMs = Date.parse(phones[0]?.expiresAt ?? "") - Date.now();
  expect(Math.round(weekMs / 86_400_000)).toBe(7);
  await door.phones.revoke(first.id);
  await expect
    .poll(async () => (await ask("GET", "/v1/machine/inbox", { cookie: first.cookie })).status)
    .toBe(401);
  expect((await ask("DELETE", "/v1/pages/cookie", { cookie: second.cookie })).status).toBe(204);
  expect((await door.phones.list()).phones).toEqual([]);
  await expect(door.phones.revoke(first.id)).rejects.toMatchObject({ code: "not_found" });
});

test("a phone that nobody used for six days is still paired, and ends after a week", async () => {
  const { cookie } = await paired("read");
  const day = 86_400_000;
  const status = async (): Promise<number> => (await ask("GET", "/v1/machine/inbox", { cookie })).status;
  shiftMs = 6 * day;
  expect(await status()).toBe(200);
  shiftMs = 7 * day + 5_000;
  await expect.poll(status).toBe(401);
});

test("only the link contains a secret, no report and no other answer", async () => {
  const answer = await door.phones.pair({ name: "Pixel", rights: "read" });
  const cookie = cookieOf(await open(answer));
  await open(answer);
  const [, secret = "?"] = cookie.split("=");
  const said = JSON.stringify([reports, await door.phones.list()]);
  expect(reports.length).toBeGreaterThan(1);
  expect(said).not.toContain(codeOf(answer));
  expect(said).not.toContain(secret);
});

test("there are at most twenty phones", async () => {
  for (let count = 0; count < 20; count++) await door.phones.pair({ name: "Pixel", rights: "read" });
  await expect(door.phones.pair({ name: "Pixel", rights: "read" })).rejects.toMatchObject({
    code: "conflict",
  });
});

test("the address of a tunnel is an https address without a path, or a port of loopback", () => {
  expect(tunnelOf("https://laptop.tail1234.ts.net/")).toBe("https://laptop.tail1234.ts.net");
  expect(tunnelOf("http://127.0.0.1:4749")).toBe("http://127.0.0.1:4749");
  for (const text of [
    "laptop",
    "http://laptop.example",
    "http://127.0.0.1",
    "https://laptop.example/continuo",
    "https://me:x@laptop.example",
    "https://laptop.example/#code=x",
  ])
    expect(() => tunnelOf(text)).toThrow(expect.objectContaining({ code: "usage" }));
});

test("the code is drawn with two rows in each line of a terminal", () => {
  const lines = qrLines(["101", "110", "001"]);
  expect(lines).toEqual(["\u001b[30;47m█▄▀\u001b[0m", "\u001b[30;47m  ▀\u001b[0m"]);
});

test("only a token that may change the machine sees, pairs and revokes phones", async () => {
  const store = await openStore("memory:");
  const machine = async () => recordingMachine(changes);
  const authenticate = createAuthenticate(store);
  const server = await openServer(store, { authenticate, reach: "machine", machine, phones: door.phones });
  const { phone } = await door.phones.pair({ name: "Pixel", rights: "read" });
  const statuses = async (scope: string): Promise<readonly number[]> => {
    const { secret } = await store.createToken({ scopes: [scope], issuedFrom: "loopback" });
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const send = async (method: string, path = "", body?: object): Promise<number> => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const url = `${server.url}/v1/machine/phones${path}`;
      return (await fetch(url, { method, headers, ...sent })).status;
    };
    return [
      await send("GET"),
      await send("POST", "", { name: "Other", rights: "read" }),
      await send("POST", `/${phone.id}/revoke`, {}),
    ];
  };
  expect(await statuses("machine:read")).toEqual([403, 403, 403]);
  expect(await statuses("machine:answer")).toEqual([403, 403, 403]);
  expect((await door.phones.list()).phones.map(({ id }) => id)).toEqual([phone.id]);
  expect(await statuses("machine:write")).toEqual([200, 201, 200]);
  await server.close();
  await store.close();
});
