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
