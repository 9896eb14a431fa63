import { openStore } from "@continuo/store";
import { runConformanceTests } from "@durable-streams/server-conformance-tests";
import { afterAll, beforeAll, describe } from "vitest";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { openServer } from "./harness/open-server.ts";

const options = { baseUrl: "", longPollTimeoutMs: 500, subscriptions: true };
let close: (() => Promise<void>) | undefined;

beforeAll(async () => {
  const store = await openStore(await newPostgresDatabase(), { migrate: true });
  const server = await openServer(store, {
    longPollMs: options.longPollTimeoutMs,
    webhookHosts: ["127.0.0.1"],
  });
  options.baseUrl = server.url;
  close = async () => {
    await server.close();
    await store.close();
  };
});
afterAll(() => close?.());

describe("a server on Postgres", () => runConformanceTests(options));
