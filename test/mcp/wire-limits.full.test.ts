/** The MCP server as a program: its output about hostile sessions, and a message that is too long. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cleanEnv, createHome, type Home, MAIN, run, writeSessions } from "../cli/home.ts";
import { createWireClient, ENVELOPE, type WireClient } from "./wire-client.ts";

let home: Home;
let child: ChildProcessByStdio<Writable, Readable, Readable>;
let client: WireClient;
let stderr = "";
beforeEach(() => {
  home = createHome();
  writeSessions(home);
  stderr = "";
  child = spawn(process.execPath, [MAIN, "mcp"], { cwd: home.path, env: cleanEnv(home.path), stdio: "pipe" });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  client = createWireClient(child.stdin, child.stdout);
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGKILL");
    await once(child, "close");
  }
  home[Symbol.dispose]();
});

test("nothing that a session says reaches standard error, and a call writes only Continuo's own index", async () => {
  await client.request("tools/call", { name: "read", arguments: { session: "4bf3d000" }, ...ENVELOPE });
  child.stdin.end();
  await once(child, "close");
  expect(stderr).toBe("");
  expect((await run(home, ["mcp", "--nope"])).code).toBe(2);
});

test("a message that is too long to be read ends the server, which says so in one line", async () => {
  child.stdin.on("error", () => undefined);
  for (let n = 0; n < 12; n++) child.stdin.write("x".repeat(1_048_576));
  const [code] = await once(child, "close");
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^continuo mcp: ReadBuffer exceeded maximum size of 10485760 bytes\n$/u),
  ]);
});
