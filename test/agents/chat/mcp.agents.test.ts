/** `continuo chat --mcp` with the real agents: a server of the file starts in a new session, and again when it is resumed. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import { expect, test } from "vitest";
import { text } from "../../model-servers/index.ts";
import { stage } from "./stage.ts";

const SERVER = join(import.meta.dirname, "../drivers/tool-server.js");
const SAID = "Say something.";
const SCRIPT = { turns: [{ user: SAID, answers: [[text("Something.")]] }] };

test.each<AgentName>(["claude", "codex"])("%s starts the server of the file in each turn", async (name) => {
  await using on = await stage([name], SCRIPT);
  const log = join(on.sandbox.root, "given.log");
  const given = {
    command: process.execPath,
    args: [SERVER, log],
    env: { GIVEN_TOKEN: `\${NO_TOKEN:-a-token-of-the-person}` },
  };
  await on.sandbox.write("project/mcp.json", JSON.stringify({ mcpServers: { given } }));
  const starts = (): number => {
    const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
    return lines.filter((line) => line === JSON.stringify({ method: "tools/list" })).length;
  };
  for (const more of [[], ["--continue"]]) {
    const before = starts();
    const { code, stdout, stderr } = await on.continuo("chat", "--mcp", "mcp.json", ...more, SAID);
    expect([code, stdout], stderr).toEqual([0, "Something.\n"]);
    expect(stderr).not.toContain("is not given");
    await expect.poll(starts, { timeout: 20_000 }).toBeGreaterThan(before);
  }
  expect(readFileSync(log, "utf8")).toContain(JSON.stringify({ token: "a-token-of-the-person" }));
});
