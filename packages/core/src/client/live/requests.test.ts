import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { call, pathOf } from "./requests.ts";

async function listening(location: string | null, seen: string[]) {
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    seen.push(`${method} ${url} ${headers.authorization ?? ""}`.trimEnd());
    if (location === null) response.writeHead(200, { "content-type": "application/json" }).end("{}");
    else response.writeHead(307, { location: `${location}${request.url}` }).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

test("a request goes only to the configured server, and does not follow its redirect to another server", async () => {
  const [there, elsewhere]: [string[], string[]] = [[], []];
  await using other = await listening(null, elsewhere);
  await using named = await listening(other.url, there);
  const body = { evidence: ["what the page saw"] };
  await expect(
    call({ serverUrl: named.url, token: "secret" }, "/v1/live/talk/evidence", { method: "POST", body }),
  ).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("redirects") });
  expect(there).toContain("POST /v1/live/talk/evidence Bearer secret");
  expect(elsewhere.filter((one) => one.startsWith("POST"))).toEqual([]);
});

test("a request to the address of a WebSocket reaches the server over HTTP, with the token", async () => {
  const seen: string[] = [];
  await using server = await listening(null, seen);
  const serverUrl = `${server.url.replace("http:", "ws:")}/`;
  expect(await call({ serverUrl, token: "secret" }, "/v1/live/talk", { method: "GET" })).toEqual({});
  expect(seen).toEqual(["GET /v1/live/talk Bearer secret"]);
});

test("a request ends at once when its signal aborts, although the server never answers", async () => {
  const asked = Promise.withResolvers<void>();
  const server = createServer(() => asked.resolve());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const stop = new AbortController();
  const serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = call({ serverUrl }, "/v1/live/talk", { method: "GET", signal: stop.signal });
  const outcome = answer.then(
    () => "an answer",
    ({ code }) => code,
  );
  await asked.promise;
  stop.abort();
  const limit = new Promise((resolve) => setTimeout(resolve, 10_000, "it still waits"));
  expect(await Promise.race([outcome, limit])).toBe("unavailable");
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

test("a key is one part of the path, whatever is in it", () => {
  expect(pathOf("talk/1?x", "/notes")).toBe("/v1/live/talk%2F1%3Fx/notes");
});
