/**
 * A server never lists what a folder contains: neither the files in the folder of its page, nor the names of the
 * streams and blobs below a path.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Store } from "@continuo/core/model";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { openServer } from "./harness/open-server.ts";

const folder = scratchFolder("folders");
let store: Store;
let server: ServerHandle;
let token: string;
beforeAll(async () => {
  for (const name of ["assets", "assets/inner", ".git"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "index.html"), "<title>page</title>");
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ files: ["known-name.js"] }));
  for (const name of ["assets/known-name.js", "assets/hidden-name.js", ".git/config", "hidden-name.txt"]) {
    writeFileSync(join(folder, name), "hidden-content");
  }
  store = await openStore("memory:");
  server = await openServer(store, { authenticate: createAuthenticate(store), pageFolder: folder });
  token = (await store.createToken({ scopes: ["stream:*:read,write"] })).secret;
  await ask("/v1/stream/shelf/hidden-name", "PUT");
});
afterAll(async () => {
  await server.close();
  await store.close();
});

/** Sends the path unchanged: `fetch` would normalize it. */
function ask(path: string, method = "GET"): Promise<{ readonly status: number; readonly body: string }> {
  const { hostname, port } = new URL(server.url);
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, async (answer) => {
      resolve({ status: answer.statusCode ?? 0, body: await text(answer) });
    });
    sent.on("error", reject).end();
  });
}

const PATHS = [
  ...[
    "/assets",
    "/assets/",
    "/assets/.",
    "/assets/inner",
    "/assets/inner/",
    "/assets/%2e%2e/",
    "/assets/..%2f",
    "/.git/",
  ],
  ...[
    "/.git/config",
    "/docs/",
    "/dist/",
    "/index.html",
    "/manifest.json",
    "/assets/hidden-name.js",
    "/hidden-name.txt",
  ],
  ...[
    "/v1",
    "/v1/",
    "/v1/stream",
    "/v1/stream/",
    "/v1/stream/shelf",
    "/v1/stream/shelf/",
    "/v1/blobs",
    "/v1/blobs/",
  ],
];

test("no path of a folder returns the content of the folder", async () => {
  expect((await ask("/assets/known-name.js")).status).toBe(200);
  expect((await ask("/v1/stream/shelf/hidden-name")).status).toBe(200);
  for (const path of PATHS) {
    for (const method of ["GET", "PROPFIND"]) {
      const { status, body } = await ask(path, method);
      // A path that leads up may lead to the page itself.
      if (body !== "<title>page</title>") expect(status, `${method} ${path}`).toBeGreaterThanOrEqual(400);
      expect(body, `${method} ${path}`).not.toMatch(/hidden|known-name|inner/u);
    }
  }
});
