/** Tool servers as arguments of Claude Code. */

import { expect, test } from "vitest";
import { toServerArguments } from "./tool-servers.ts";

test("the arguments of the program contain no value of a tool server", () => {
  const { args, env } = toServerArguments([
    { name: "files", command: "serve-files", args: ["--key", "secret-1"], env: { TOKEN: "secret-2" } },
    {
      name: "web",
      type: "http",
      url: "http://127.0.0.1/?key=secret-3",
      headers: { Authorization: "secret-4" },
    },
  ]);
  expect(args.join(" ")).not.toContain("secret");
  expect(args.join(" ").replaceAll(/\$\{(\w+)\}/gu, (_, name) => env[name] ?? "")).toBe(
    `--mcp-config ${JSON.stringify({
      mcpServers: {
        files: { command: "serve-files", args: ["--key", "secret-1"], env: { TOKEN: "secret-2" } },
        web: { type: "http", url: "http://127.0.0.1/?key=secret-3", headers: { Authorization: "secret-4" } },
      },
    })}`,
  );
});

test("without tool servers nothing is added", () => {
  expect(toServerArguments([])).toEqual({ args: [], env: {} });
});
