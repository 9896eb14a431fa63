/** Options that `continuo agent join` refuses before it joins. */

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { cleanEnv, createHome, MAIN } from "./home.ts";

test("agent join of an agent that is not installed ends at once with exit code 8 and the way to install it", () => {
  using home = createHome();
  const { status, stderr } = spawnSync(
    process.execPath,
    [MAIN, "agent", "join", "team", "--agent", "claude", "--as", "claude", "--server", "http://127.0.0.1:9"],
    { env: { ...cleanEnv(home.path), PATH: home.path }, encoding: "utf8", timeout: 60_000 },
  );
  expect({ status, stderr }).toEqual({
    status: 8,
    stderr: expect.stringMatching(/^continuo: cannot join as claude: .* is not installed\nInstall it: npm/u),
  });
});

test("agent join with an MCP server whose variable is not set ends before it joins", () => {
  using home = createHome();
  home.write(
    ".continuo/continuo.yaml",
    JSON.stringify({ mcp: { servers: { tools: { command: `\${MISSING_OF_TOOLS}` } } } }),
  );
  const { status, stderr } = spawnSync(
    process.execPath,
    [MAIN, "agent", "join", "team", "--agent", "claude", "--as", "claude", "--server", "http://127.0.0.1:9"],
    { env: { ...cleanEnv(home.path), PATH: home.path }, encoding: "utf8", timeout: 60_000 },
  );
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringContaining("the variable MISSING_OF_TOOLS is not set"),
  });
});
