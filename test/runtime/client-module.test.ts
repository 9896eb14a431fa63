/** `/v1/client.js`: the client for pages without a build step, from the handler of a program and from a server. */

import { createServer } from "@continuo/server";
import { type Continuo, type FetchHandler, openContinuo } from "@continuo/server/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";

const ORIGIN = "http://desk.example";
const YEAR = "public, max-age=31536000, immutable";

let c: Continuo;
let handler: FetchHandler;
beforeEach(async () => {
  c = await openContinuo("memory:", { work: false });
  handler = c.handler({ authorize: () => null });
});
afterEach(() => c.close());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  handler(new Request(`${ORIGIN}${path}`, { headers }));

async function moduleName(): Promise<string> {
  return /"\.\/(client-[\w-]+\.js)"/u.exec(await (await get("/v1/client.js")).text())?.[1] ?? "";
}

test("a page gets the module without rights, by a name that changes with its content", async () => {
  const line = await get("/shop/v1/client.js");
  expect([line.status, line.headers.get("cache-control")]).toEqual([200, "no-cache"]);
  expect(line.headers.get("content-type")).toContain("text/javascript");
  const etag = line.headers.get("etag") ?? "";
  expect((await get("/v1/client.js", { "if-none-match": etag })).status).toBe(304);
  const name = await moduleName();
  const module = await get(`/shop/v1/${name}`);
  expect([module.status, module.headers.get("cache-control")]).toEqual([200, YEAR]);
  const code = await module.text();
  expect(code).toMatch(/export\s*\{[^}]*\bopenChat\b/u);
  // It loads nothing else, and names no module of Node.
  expect(code).not.toMatch(/\bfrom\s*"|\bimport\(|node:/u);
  const tag = module.headers.get("etag") ?? "";
  expect((await get(`/v1/${name}`, { "if-none-match": tag })).status).toBe(304);
  expect((await get("/v1/sessions/s")).status).toBe(401);
});

test("a server of another version sends its own module, which no browser keeps", async () => {
  const other = await get("/v1/client-000000000000.js");
  expect([other.status, other.headers.get("cache-control")]).toEqual([200, "no-cache"]);
  expect(await other.text()).toBe(await (await get(`/v1/${await moduleName()}`)).text());
  expect((await get("/v1/client-x/y.js")).status).toBe(404);
  expect((await get("/v1/client-..%2f..%2fpackage.json")).status).toBe(404);
});

test("the server has the same module, and only for pages that may ask it", async () => {
  const server = createServer({
    store: () => c.store,
    authenticate: async () => {
      throw new Error("nobody is asked for a token");
    },
  });
  const peer = { address: "127.0.0.1", isLoopback: true };
  const name = await moduleName();
  const own = await server.fetch(new Request(`${ORIGIN}/v1/${name}`), peer);
  expect(own.status).toBe(200);
  const foreign = new Request(`${ORIGIN}/v1/${name}`, { headers: { origin: "https://evil.example" } });
  expect((await server.fetch(foreign, peer)).status).toBe(403);
  await server.close();
});
