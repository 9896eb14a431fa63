import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runConformanceTests } from "@durable-streams/server-conformance-tests";
import { afterAll, beforeAll, describe } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { openServer } from "./harness/open-server.ts";

const options = { baseUrl: "", longPollTimeoutMs: 500, subscriptions: true };
// Some cases wait for a time to live and allow half a second for all that they do: a slow disk is not their subject.
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "continuo-conformance-"));
let close: (() => Promise<void>) | undefined;

beforeAll(async () => {
  const store = await openStore(`sqlite:${join(folder, "store.db")}`);
  const server = await openServer(store, {
    longPollMs: options.longPollTimeoutMs,
    webhookHosts: ["127.0.0.1"],
    // As `continuo serve` listens.
    process: "own",
  });
  options.baseUrl = server.url;
  close = async () => {
    await server.close();
    await store.close();
  };
});
afterAll(async () => {
  await close?.();
  rmSync(folder, { recursive: true, force: true });
});

describe("a server on SQLite", () => runConformanceTests(options));
