/** The page at `/` and its files: who receives which file, and what the page may do. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { openServer } from "../server/harness/open-server.ts";

const folder = scratchFolder("page");
let store: Store;
let server: ServerHandle;
beforeAll(async () => {
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Continuo</title>");
  writeFileSync(join(folder, "assets/main-abc.js"), "export {};");
  writeFileSync(join(folder, "assets/unlisted.js"), "secret");
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ files: ["main-abc.js", "../index.html"] }));
  store = await openStore("memory:");
  server = await openServer(store, { authenticate: createAuthenticate(store), pageFolder: folder });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

test("the page needs no token, and may run nothing but its own scripts", async () => {
  const response = await fetch(`${server.url}/`);
  expect(response.status).toBe(200);
  expect(await response.text()).toContain("<title>Continuo</title>");
  const headers = Object.fromEntries(response.headers);
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cache-control": "no-cache",
  });
  const policy = headers["content-security-policy"] ?? "";
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ]) {
    expect(policy.split("; ")).toContain(part);
  }
  expect(policy).not.toContain("unsafe");
});

test("the browser caches files with a hash in their names, and requests the page each time", async () => {
  const response = await fetch(`${server.url}/assets/main-abc.js`);
  expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  const page = await fetch(`${server.url}/`);
  const again = await fetch(`${server.url}/`, {
    headers: { "if-none-match": page.headers.get("etag") ?? "" },
  });
  expect(again.status).toBe(304);
  const withOrigin = await fetch(`${server.url}/assets/main-abc.js`, { headers: { origin: server.url } });
  expect(withOrigin.headers.get("vary")).toBe("accept-encoding, origin");
});

test.each(["unlisted.js", "..%2Findex.html", "%2e%2e%2findex.html", "%2Fetc%2Fpasswd", "main-abc.js%00"])(
  "/assets/%s is not served",
  async (name) => {
    expect((await fetch(`${server.url}/assets/${name}`)).status).toBe(404);
  },
);

test("a server without the page has nothing at /", async () => {
  const bare = await openServer(store);
  expect((await fetch(`${bare.url}/`)).status).toBe(404);
  await bare.close();
  const unbuilt = await openServer(store, { pageFolder: join(folder, "assets") });
  const response = await fetch(`${unbuilt.url}/`);
  expect([response.status, await response.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
  await unbuilt.close();
});
