/** The choice of tool servers by the kinds that an agent accepts. */

import type { ToolServer } from "@continuo/core/model";
import { expect, test } from "vitest";
import { chooseServers, type ToolServerKind } from "./tool-servers.ts";

const SERVERS: readonly ToolServer[] = [
  { name: "files", command: "files", args: [], env: {} },
  { name: "web", type: "http", url: "http://127.0.0.1/mcp", headers: {} },
  { name: "old", type: "sse", url: "http://127.0.0.1/sse", headers: {} },
];

test.each<readonly [ToolServerKind[], string[], string[]]>([
  [["stdio", "http", "sse"], ["files", "web", "old"], []],
  [["stdio", "http"], ["files", "web"], ["old"]],
  [[], [], ["files", "web", "old"]],
])("an agent that accepts %j gets %j and not %j", (kinds, names, leftOut) => {
  const chosen = chooseServers({ toolServers: SERVERS, permissions: "ask" }, kinds);
  expect([chosen.given.map(({ name }) => name), chosen.leftOut]).toEqual([names, leftOut]);
});

test("with the policy safe no server is started", () => {
  const chosen = chooseServers({ toolServers: SERVERS, permissions: "safe" }, ["stdio", "http", "sse"]);
  expect(chosen).toEqual({ given: [], leftOut: ["files", "web", "old"] });
});
