/** The servers of tools that an editor names, as a conversation gets them. */

import type { McpServer } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { toToolServers } from "./tool-servers.ts";

test("programs and addresses keep their variables and headers, and a server inside of the editor is only named", () => {
  const pairs = [
    { name: "A", value: "1" },
    { name: "B", value: "2" },
  ];
  const servers = [
    { name: "files", command: "/bin/files", args: ["--all"], env: pairs },
    { type: "http", name: "web", url: "https://a.example", headers: pairs },
    { type: "sse", name: "old", url: "https://b.example", headers: [] },
    { type: "acp", name: "inside", id: "1" },
  ] as unknown as McpServer[];
  expect(toToolServers(servers)).toEqual({
    toolServers: [
      { name: "files", command: "/bin/files", args: ["--all"], env: { A: "1", B: "2" } },
      { name: "web", type: "http", url: "https://a.example", headers: { A: "1", B: "2" } },
      { name: "old", type: "sse", url: "https://b.example", headers: {} },
    ],
    unknown: ["inside"],
  });
});
