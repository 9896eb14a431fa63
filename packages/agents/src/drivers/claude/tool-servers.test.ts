/** Tool servers as a file for Claude Code. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { createClaudeDriver } from "./index.ts";
import { toServerFile } from "./tool-servers.ts";

test("the file has the programs and the addresses, with their values", () => {
  const files = { command: "serve-files", args: ["--key", "secret-1"], env: { TOKEN: "secret-2" } };
  const web = {
    type: "http",
    url: "http://127.0.0.1/?key=secret-3",
    headers: { Authorization: "secret-4" },
  } as const;
  const text = toServerFile([
    { name: "files", ...files },
    { name: "web", ...web },
  ]);
  expect(JSON.parse(text)).toEqual({ mcpServers: { files, web } });
});

test("a value that looks like a variable reaches the server as it is", () => {
  const args = [`\${HOME}/\${A:-b}`, "$HOME", "{}"];
  const { mcpServers } = JSON.parse(toServerFile([{ name: "one", command: "x", args, env: {} }]));
  expect(mcpServers.one.args.map(asClaudeCode)).toEqual(args);
  expect(mcpServers.one.args[0]).not.toContain(`\${HOME}`);
});

/** Replaces variables as Claude Code does, in an environment that has only HOME. */
function asClaudeCode(value: string): string {
  return value.replace(/\$\{([^}]+)\}/gu, (match, inner: string) => {
    const [name, otherwise] = inner.split(":-", 2);
    return name === "HOME" ? "/home" : (otherwise ?? match);
  });
}

/** Reports how it was started, and answers the first request. */
const PROGRAM = `
import { readFileSync, statSync, writeFileSync } from "node:fs";
const [report, ...args] = process.argv.slice(2);
if (args.includes("--help") || args.includes("--version")) console.log("1.0 --input-format --resume");
else process.stdin.once("data", (data) => {
  const path = args[args.indexOf("--mcp-config") + 1];
  const mode = statSync(path).mode & 0o777;
  const env = JSON.stringify(process.env);
  writeFileSync(report, JSON.stringify({ args, env, path, mode, text: readFileSync(path, "utf8") }));
  const { request_id } = JSON.parse(data);
  const response = { subtype: "success", request_id, response: {} };
  console.log(JSON.stringify({ type: "control_response", response }));
});
`;

test("the values are only in a file for the user, which is gone when Claude Code is ready", async () => {
  const home = scratchFolder("claude-servers");
  const [program, report] = [join(home, "claude.mjs"), join(home, "report.json")];
  writeFileSync(program, PROGRAM);
  const command = [process.execPath, program, report];
  const driver = createClaudeDriver({ places: { home, env: {} }, command });
  const server = { name: "files", command: "serve", args: [], env: { TOKEN: "secret-1" } };
  await using _conversation = await driver.open({ cwd: home, toolServers: [server] });
  const { args, env, path, mode, text } = JSON.parse(readFileSync(report, "utf8"));
  expect(args.join(" ") + env).not.toContain("secret-1");
  expect([mode, text]).toEqual([0o600, toServerFile([server])]);
  expect([existsSync(path), existsSync(dirname(path))]).toEqual([false, false]);
});
