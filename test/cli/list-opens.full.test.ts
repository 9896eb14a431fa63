/** A list of one agent's sessions opens files of that agent only: a file of another one can neither slow nor break it. */

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HOME_VARIABLES } from "../../src/agents.ts";
import { AGENT_NAMES } from "../../src/model/index.ts";
import { cleanEnv, MAIN } from "./home.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "continuo-opens-"));
  for (const agent of AGENT_NAMES) {
    const fixture = join(FIXTURES, agent, agent === "codex" ? "legacy" : "parallel-tools", "home");
    cpSync(fixture, join(home, agent), { recursive: true });
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.each(AGENT_NAMES)("list --agent %s opens no session of another agent", (agent) => {
  const trace = join(home, `trace-${agent}`);
  const command = [process.execPath, MAIN, "list", "--agent", agent];
  const folders = AGENT_NAMES.map((one) => [HOME_VARIABLES[one], join(home, one)]);
  const { status, stderr } = spawnSync("strace", ["-f", "-e", "trace=open,openat", "-o", trace, ...command], {
    env: { ...cleanEnv(home), ...Object.fromEntries(folders) },
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const opened = readFileSync(trace, "utf8");
  const isOpened = (one: string): boolean =>
    new RegExp(`"${home}/${one}/[^"]*\\.(?:jsonl|db)"`, "u").test(opened);
  expect(AGENT_NAMES.filter(isOpened)).toEqual([agent]);
});
