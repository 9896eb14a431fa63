/** Each route of the server with each method: rules that all of them keep. The server itself lists its routes. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import {
  type ContinuoServer,
  createAuthenticate,
  createServer,
  listen,
  type ServerHandle,
} from "@continuo/server";
import { type Continuo, openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { recordingMachine, recordingStore } from "./harness/recording-store.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const STRANGE = ["OPTIONS", "TRACE", "PROPFIND"];
const WEB_SOCKETS = ["/v1/channels/x/ws", "/v1/live/x/ws"];

const folder = scratchFolder("routes");
const changes: string[] = [];
const agent = new Agent({ keepAlive: true });
let store: Store;
let front: Continuo;
let server: ContinuoServer;
let listening: ServerHandle;
let token: string;
let paths: readonly string[];

beforeAll(async () => {
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Continuo</title>");
  writeFileSync(join(folder, "assets/x.js"), "export {};");
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ files: ["x.js"] }));
  store = await openStore("memory:");
  front = await openContinuo(store, { work: false });
  server = createServer({
    store: (workspaceId, by) => recordingStore(store.forWorkspace(workspaceId, by), changes),
    authenticate: createAuthenticate(store),
    hosts: ["127.0.0.1"],
    publicUrl: "https://continuo.example",
    longPollMs: 10,
    live: { workspaceIds: [], role: "reader" },
    sessions: () => front,
    mcp: { fetch: async () => Response.json({}), close: async () => undefined },
    machine: async () => recordingMachine(changes),
    pageFolder: folder,
    preferencesFile: join(folder, "preferences.json"),
  });
  listening = await listen(server, { host: "127.0.0.1", port: 0 });
  const scopes = ["admin", "machine:read,write"];
  token = (await store.createToken({ scopes, anyHandle: true, issuedFrom: "loopback" })).secret;
  await store.createLog({ logId: "channels/x" });
  await store.createLog({ logId: "streams/x", mediaType: "text/plain" });
  paths = [...new Set(server.routes.map(({ path }) => pathOf(path)))].filter((path) => path !== "/v1/x");
});
afterAll(async () => {
  agent.destroy();
  await listening.close();
  await store.close();
});
beforeEach(() => {
  changes.length = 0;
});

/** A path of this pattern: each parameter and each `*` is `x`, and the file of the page is one that exists. */
function pathOf(pattern: string): string {
  if (pattern === "/assets/:name") return "/assets/x.js";
  return pattern.replace(/:\w+(?:\{[^}]*\})?|\*/gu, "x");
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** An answer that does not end is read up to its first bytes. */
function ask(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${listening.url}${path}`, { method, headers, agent }, (answer) => {
      const { statusCode: status = 0, headers: fields } = answer;
      let body = "";
      const done = (): void => resolve({ status, headers: fields, body });
      answer.on("data", (chunk) => {
        body += chunk;
        if (fields["content-type"]?.startsWith("text/event-stream")) sent.destroy();
      });
      answer.on("end", done).on("close", done).on("error", done);
    });
    sent.on("error", reject).end();
  });
}

/** Sends raw bytes. Returns the answer up to the end of the connection, or until no more of it arrives for a moment. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(listening.url).port), "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

function headersIn(answer: string): IncomingHttpHeaders {
  const [head = ""] = answer.split("\r\n\r\n", 1);
  return Object.fromEntries(
    head
      .split("\r\n")
      .slice(1)
      .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
}

/** Returns the faults in the headers of an answer. */
function faultsOf(headers: IncomingHttpHeaders, body: string): readonly string[] {
  const policy = String(headers["content-security-policy"] ?? "").split("; ");
  const type = headers["content-type"] ?? "";
  const faults = {
    "no policy": policy.includes("default-src 'none'"),
    framable: policy.includes("frame-ancestors 'none'"),
    "no nosniff": headers["x-content-type-options"] === "nosniff",
    referrer: headers["referrer-policy"] === "no-referrer",
    "no HSTS": headers["strict-transport-security"] === "max-age=31536000; includeSubDomains",
    "body without a type": body === "" || type !== "",
    // Event streams are always UTF-8. A stream has the type that its author named.
    "text without a charset":
      !type.startsWith("text/") ||
      /^text\/event-stream$|; ?charset=utf-8$/iu.test(type) ||
      type === "text/plain",
  };
  return Object.entries(faults).flatMap(([fault, isRight]) => (isRight ? [] : [fault]));
}

test("the server lists its routes, and each folder of a part has at least one", () => {
  expect(paths.length).toBeGreaterThan(60);
  for (const part of [
    "/",
    "/healthz",
    "/metrics",
    "/mcp",
    "/v1/audit",
    "/v1/blobs",
    "/v1/live/x",
    "/v1/sessions/x",
    "/v1/approvals",
    "/v1/stream/x",
  ]) {
    expect(paths).toContain(part);
  }
});

test("without a token the server refuses each route, except for those that the server's documentation names", async () => {
  const docs = readFileSync(join(import.meta.dirname, "../../docs/server.md"), "utf8");
  const [, section = ""] = docs.split("### Without a token\n");
  const [table = ""] = section.split("\n#", 1);
  const named = [...table.matchAll(/^\| `([A-Z]+) ([^`]+)` \|/gmu)].map(
    ([, method, path = ""]) => `${method} ${pathOf(path)}`,
  );
  const open: string[] = [];
  for (const path of paths) {
    for (const method of METHODS) {
      const { status } = await ask(method, path);
      const isRefused = status === 401 || (status === 404 && !path.startsWith("/v1/"));
      if (!isRefused && method !== "HEAD") open.push(`${method} ${path}`);
    }
  }
  expect(open.toSorted()).toEqual(named.toSorted());
  expect(changes).toEqual([]);
});

test("every answer has a policy, cannot be framed, names its type, and requires TLS on a server that has it", async () => {
  const faults: string[] = [];
  const look = (name: string, { headers, body }: Omit<Answer, "status">): void => {
    for (const fault of faultsOf(headers, body)) faults.push(`${name}: ${fault}`);
  };
  const callers = {
    "with a token": bearer(token),
    "without a token": {},
    "from another site": { origin: "https://evil.example", ...bearer(token) },
    "under another host": { host: "evil.example" },
  };
  for (const path of [...paths, "/nowhere", "/v1/nowhere", "/assets/nothing.js", "/?token=x"]) {
    const asked = Object.entries(callers).flatMap(([caller, headers]) =>
      // The other callers are refused before the method counts.
      (caller === "with a token" ? [...METHODS, ...STRANGE] : ["GET", "POST"]).map(async (method) => {
        look(`${method} ${path} ${caller}`, await ask(method, path, headers));
      }),
    );
    await Promise.all(asked);
  }
  expect(faults).toEqual([]);
});

const HANDSHAKE: Readonly<Record<string, string>> = {
  host: "127.0.0.1",
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
};

function handshake(path: string, more: Readonly<Record<string, string>>): Promise<string> {
  const lines = Object.entries({ ...HANDSHAKE, ...more }).map(([name, value]) => `${name}: ${value}\r\n`);
  return raw(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
}

test.each([
  ["of another site", { origin: "https://evil.example" }, 403],
  ["under another host", { host: "evil.example" }, 403],
  ["of another version", { "sec-websocket-version": "7" }, 400],
  ["without a key", { "sec-websocket-key": "x" }, 400],
  ["with an unreadable subprotocol", { "sec-websocket-protocol": "a,,b" }, 400],
])("a refused WebSocket %s has the headers of every answer", async (_, more, status) => {
  for (const path of WEB_SOCKETS) {
    const answer = await handshake(path, more);
    expect([path, answer.split(" ")[1], faultsOf(headersIn(answer), "x")]).toEqual([
      path,
      String(status),
      [],
    ]);
  }
});

test("a WebSocket at a path that has none, or with a token in its URL, is refused with the headers of every answer", async () => {
  for (const [path, status] of [
    ["/v1/nowhere/ws", 404],
    ["/v1/live/%zz/ws", 404],
    ["/v1/channels/x/ws?token=x", 401],
  ] as const) {
    const answer = await handshake(path, {});
    expect([path, answer.split(" ")[1], faultsOf(headersIn(answer), "x")]).toEqual([
      path,
      String(status),
      [],
    ]);
  }
});

test.each([
  ["no method", "nonsense\r\n\r\n", 400],
  ["no host", "GET /healthz HTTP/1.1\r\n\r\n", 400],
  ["a path that is none", "GET \\\\evil HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n", 400],
  ["too many headers", `GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ${"x".repeat(70_000)}\r\n\r\n`, 431],
  ["an expectation", "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: tea\r\nconnection: close\r\n\r\n", 417],
])(
  "bytes that are no request (%s) are answered with the headers of every answer",
  async (_, bytes, status) => {
    const answer = await raw(bytes);
    const [, body = ""] = answer.split("\r\n\r\n");
    expect([answer.split(" ")[1], faultsOf(headersIn(answer), body)]).toEqual([String(status), []]);
  },
);

test("TRACE returns nothing of the request, with a token or without", async () => {
  for (const path of paths) {
    for (const headers of [bearer(token), {}]) {
      const { status, body } = await ask("TRACE", path, { ...headers, "x-mark": "mark-of-the-request" });
      expect([path, status >= 400, body.includes("mark-of-the-request")]).toEqual([path, true, false]);
    }
  }
});

test("no route changes anything when it is asked with GET or HEAD, also where POST would change something", async () => {
  for (const path of paths) {
    for (const method of ["GET", "HEAD"]) await ask(method, path, bearer(token));
  }
  expect(changes).toEqual([]);
  // The record of changes sees them.
  await ask("POST", "/v1/machine/sessions/x/delete", bearer(token));
  await ask("PUT", "/v1/stream/streams/new", bearer(token));
  expect(changes).toEqual(["actions.delete", "store.createLog"]);
});

describe("a request with an ambiguous length is refused, and no further request is read after it", () => {
  const START = "POST /v1/blobs HTTP/1.1\r\nhost: 127.0.0.1\r\n";
  const SMUGGLED = "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx-mark: 1\r\n\r\n";
  test.each([
    ["two lengths", "content-length: 4\r\ncontent-length: 5\r\n\r\nbody"],
    ["two equal lengths", "content-length: 4\r\ncontent-length: 4\r\n\r\nbody"],
    ["a list of lengths", "content-length: 4, 4\r\n\r\nbody"],
    ["a length and chunks", "content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["chunks and a length", "transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n"],
    ["chunks that are not last", "transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n"],
    ["another encoding", "transfer-encoding: xchunked\r\n\r\n0\r\n\r\n"],
    ["a negative length", "content-length: -1\r\n\r\n"],
    ["a length with a sign", "content-length: +4\r\n\r\nbody"],
    ["a length in hexadecimal", "content-length: 0x4\r\n\r\nbody"],
    ["a space before the colon", "content-length : 4\r\n\r\nbody"],
    ["a header that goes on in the next line", "x: 1\r\n content-length: 4\r\n\r\nbody"],
    ["a line end without a carriage return", "x: 1\ncontent-length: 4\r\n\r\nbody"],
    ["a chunk without a size", "transfer-encoding: chunked\r\n\r\nx\r\n\r\n"],
  ])("%s", async (_, rest) => {
    const answers = (await raw(`${START}${rest}${SMUGGLED}`)).matchAll(/^HTTP\/1\.1 (\d+) /gmu);
    expect([...answers].map(([, status]) => Number(status))).toEqual([400]);
  });
});
