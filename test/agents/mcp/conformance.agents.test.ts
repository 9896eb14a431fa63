/**
 * Runs the official conformance kit for MCP servers against `continuo serve`. The kit knows the revisions up to
 * 2025-11-25. It does not know the newer revision yet, so `test/mcp/wire.test.ts` and `test/mcp/http.test.ts` test the
 * newer one.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { bundledCommand } from "../../sizes/shared-programs.ts";
import { PINNED, packageFolder } from "../install.ts";
import { makeSandbox, runProgram, type Sandbox } from "../sandbox.ts";

const KIT = join(packageFolder(PINNED.mcpConformance), PINNED.mcpConformance.proof);

/** The scenarios for the features that the server offers. */
const APPLICABLE: readonly string[] = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];

const NEEDS = {
  fixture: "the scenario calls a tool that only a server written for the kit has",
  logging: "the server declares no logging: it sends its client only answers",
  completions: "the server declares no completions: no argument of a tool can be completed",
  sampling: "the server never asks its client to call a model",
  elicitation: "the server never asks the person a question",
  resources:
    "the server declares no resources: its tools read sessions, mask secrets and limit the length of an answer",
  prompts: "the server declares no prompts",
  streams:
    "each request is complete in itself, so there is no stream to poll or resume; the kit checks nothing here",
} as const;

/** Every other scenario of the kit, with the reason why it does not apply to this server. */
const NOT_APPLICABLE: Readonly<Record<string, keyof typeof NEEDS>> = {
  "logging-set-level": "logging",
  "completion-complete": "completions",
  "tools-call-simple-text": "fixture",
  "tools-call-image": "fixture",
  "tools-call-audio": "fixture",
  "tools-call-embedded-resource": "fixture",
  "tools-call-mixed-content": "fixture",
  "tools-call-with-logging": "logging",
  "tools-call-error": "fixture",
  "tools-call-with-progress": "fixture",
  "tools-call-sampling": "sampling",
  "tools-call-elicitation": "elicitation",
  "json-schema-2020-12": "fixture",
  "elicitation-sep1034-defaults": "elicitation",
  "server-sse-polling": "streams",
  "server-sse-multiple-streams": "streams",
  "elicitation-sep1330-enums": "elicitation",
  "resources-list": "resources",
  "resources-read-text": "resources",
  "resources-read-binary": "resources",
  "resources-templates-read": "resources",
  "resources-subscribe": "resources",
  "resources-unsubscribe": "resources",
  "prompts-list": "prompts",
  "prompts-get-simple": "prompts",
  "prompts-get-with-args": "prompts",
  "prompts-get-embedded-resource": "prompts",
  "prompts-get-with-image": "prompts",
};

interface Server extends AsyncDisposable {
  readonly url: string;
}

async function serve(sandbox: Sandbox): Promise<Server> {
  const args = [await bundledCommand(), "serve", "--no-auth", "--listen", "127.0.0.1:0", "--json"];
  const child = spawn(process.execPath, args, {
    cwd: sandbox.project,
    env: sandbox.environment(),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const closed = once(child, "close");
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    closed.then(() => Promise.reject(new Error("serve ended"))),
  ]);
  return {
    url: `${JSON.parse(line).url}/mcp`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await closed;
    },
  };
}

async function runKit(sandbox: Sandbox, ...args: readonly string[]): Promise<string> {
  const options = { cwd: sandbox.project, env: sandbox.environment() };
  const { stdout, stderr } = await runProgram(process.execPath, [KIT, ...args], options);
  return `${stdout}\n${stderr}`;
}

test("every applicable scenario of the kit passes, and every other scenario is listed with a reason", async () => {
  await using sandbox = await makeSandbox();
  const listed = await runKit(sandbox, "list", "--server");
  const scenarios = [...listed.matchAll(/^ {2}- ([\w-]+) \[/gmu)].map(([, name]) => name);
  expect(scenarios.toSorted()).toEqual([...APPLICABLE, ...Object.keys(NOT_APPLICABLE)].toSorted());
  await using server = await serve(sandbox);
  for (const scenario of APPLICABLE) {
    const report = await runKit(sandbox, "server", "--url", server.url, "--scenario", scenario);
    const [, passed, of] = /Passed: (\d+)\/(\d+), 0 failed, 0 warnings/u.exec(report) ?? [];
    expect({ scenario, passed, report }).toEqual({ scenario, passed: of, report });
    expect(Number(passed)).toBeGreaterThan(0);
  }
});

test("the server declares only tools, so no other scenario applies", async () => {
  await using sandbox = await makeSandbox();
  await using server = await serve(sandbox);
  const response = await fetch(server.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    }),
  });
  const text = await response.text();
  const { result } = JSON.parse(/^data: (.*)$/mu.exec(text)?.[1] ?? text);
  expect(Object.keys(result.capabilities)).toEqual(["tools"]);
});
