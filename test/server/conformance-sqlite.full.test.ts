/** The unchanged conformance suite of the protocol, run against the process `continuo serve --no-auth`. */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runConformanceTests } from "@durable-streams/server-conformance-tests";
import { afterAll, beforeAll, describe } from "vitest";
import { type Background, background } from "../cli/background.ts";
import { createHome } from "../cli/home.ts";

const options = { baseUrl: "", subscriptions: true };
const home = createHome();
// Some cases wait for a time to live and allow half a second for all of their work, which a slow disk would exceed.
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "continuo-conformance-"));
let server: Background;

beforeAll(async () => {
  const store = `sqlite:${join(folder, "store.db")}`;
  const flags = ["--no-auth", "--listen", "127.0.0.1:0", "--webhook-host", "127.0.0.1", "--store", store];
  server = background(home, ["serve", ...flags]);
  options.baseUrl = /http:\/\/[\d.:]+/u.exec(await server.line("listens on"))?.[0] ?? "";
});
afterAll(async () => {
  await server.kill("SIGTERM");
  home[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe("continuo serve --no-auth on SQLite", () => runConformanceTests(options));
