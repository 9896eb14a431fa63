/** The wire of `continuo mcp`, for revision 2026-07-28 and for clients of 2025-11-25: the real command in a process. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cleanEnv, createHome, type Home, MAIN, writeSessions } from "../cli/home.ts";
import { createWireClient, ENVELOPE, type WireClient } from "./wire-client.ts";

let home: Home;
let child: ChildProcessByStdio<Writable, Readable, Readable>;
let client: WireClient;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
  child = spawn(process.execPath, [MAIN, "mcp"], { cwd: home.path, env: cleanEnv(home.path), stdio: "pipe" });
  child.stderr.resume();
  client = createWireClient(child.stdin, child.stdout);
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGKILL");
    await once(child, "close");
  }
  home[Symbol.dispose]();
});

const SEARCH = { name: "search", arguments: { query: "build" } };
const NAMES = ["search", "grep", "read", "digest", "recall", "who", "fix", "how"];

test("a client of 2026-07-28 asks without a handshake, and each request is complete in itself", async () => {
  const called = await client.request("tools/call", { ...SEARCH, ...ENVELOPE });
  expect(called.result).toMatchObject({
    resultType: "complete",
    structuredContent: { total: 1, results: [{ turn: 1, title: "Fix the build" }] },
  });
  const discovered = await client.request("server/discover", ENVELOPE);
  expect(discovered.result).toMatchObject({
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    resultType: "complete",
    ttlMs: 3_600_000,
    cacheScope: "public",
  });
  expect(discovered.result.instructions).toContain("Call `search` when");
  const listed = await client.request("tools/list", ENVELOPE);
  expect(listed.result).toMatchObject({ ttlMs: 3_600_000, cacheScope: "public" });
  expect(listed.result.tools.map(({ name }: { name: string }) => name)).toEqual(NAMES);
  for (const { inputSchema, outputSchema, annotations, description } of listed.result.tools) {
    expect(inputSchema.type).toBe("object");
    expect(outputSchema.required).toContain("note");
    expect(annotations.readOnlyHint).toBe(true);
    expect(description.length).toBeLessThan(400);
  }
  expect(await client.request("tools/list", ENVELOPE)).toMatchObject({ result: listed.result });
});

test("2026-07-28: no ping, no unknown method or tool, no request without its envelope", async () => {
  expect((await client.request("tools/list", ENVELOPE)).error).toBeUndefined();
  expect((await client.request("ping", ENVELOPE)).error).toMatchObject({ code: -32_601 });
  expect((await client.request("resources/list", ENVELOPE)).error).toMatchObject({ code: -32_601 });
  expect(
    (await client.request("tools/call", { name: "rm", arguments: {}, ...ENVELOPE })).error,
  ).toMatchObject({
    code: -32_602,
  });
  expect((await client.request("tools/list")).error).toBeDefined();
});

test("a client that opens with an unknown revision receives the list of revisions", async () => {
  const later = { _meta: { ...ENVELOPE._meta, "io.modelcontextprotocol/protocolVersion": "2027-01-01" } };
  expect((await client.request("tools/list", later)).error).toMatchObject({
    code: -32_022,
    data: { supported: ["2026-07-28"], requested: "2027-01-01" },
  });
  expect((await client.request("tools/list", ENVELOPE)).result.tools).toHaveLength(NAMES.length);
});

test("a client of 2025-11-25 shakes hands first and sees the same tools and answers", async () => {
  const opened = await client.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "older", version: "1" },
  });
  expect(opened.result).toMatchObject({
    protocolVersion: "2025-11-25",
    serverInfo: { name: "continuo" },
    capabilities: { tools: {} },
  });
  expect(opened.result.instructions).toContain("Call `recall` when");
  client.notify("notifications/initialized");
  const listed = await client.request("tools/list");
  expect(listed.result.tools.map(({ name }: { name: string }) => name)).toEqual(NAMES);
  expect(listed.result.ttlMs).toBeUndefined();
  const called = await client.request("tools/call", SEARCH);
  expect(called.result.structuredContent).toMatchObject({ total: 1 });
  expect(called.result.resultType).toBeUndefined();
  expect((await client.request("ping")).result).toEqual({});
});

test("the server ends with its input, and on SIGTERM; nothing but the protocol is on standard output", async () => {
  client.send("this is no JSON");
  expect((await client.request("tools/call", { ...SEARCH, ...ENVELOPE })).result.isError).toBeUndefined();
  child.stdin.end();
  expect(await once(child, "close")).toEqual([0, null]);
  for (const message of client.received) expect(message).toMatchObject({ jsonrpc: "2.0" });
  const second = spawn(process.execPath, [MAIN, "mcp"], {
    env: cleanEnv(home.path),
    stdio: ["pipe", "pipe", "ignore"],
  });
  await createWireClient(second.stdin, second.stdout).request("tools/list", ENVELOPE);
  second.kill("SIGTERM");
  expect(await once(second, "close")).toEqual([0, null]);
});
