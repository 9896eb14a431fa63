/** `continuo doctor` on machines that each have one problem. */

import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { AGENT_NAMES } from "@continuo/core/model";
import { indexPathOf } from "@continuo/native/index-file";
import { beforeEach, expect, test } from "vitest";
import { isNewer } from "../../src/cli/doctor/agents.ts";
import { CLAUDE_ID, claudeFile, createHome, type Home } from "./home.ts";
import { runInProcess } from "./in-process.ts";

let home: Home;

beforeEach(() => {
  home = createHome();
});

interface Finding {
  readonly name: string;
  readonly state: string;
  readonly message: string;
  readonly hint?: string;
}

async function doctor(): Promise<{
  readonly code: number | null;
  readonly found: ReadonlyMap<string, Finding>;
}> {
  const env = { PATH: join(home.path, "bin") };
  const { code, stdout, stderr } = await runInProcess(home, ["doctor", "--json"], { env });
  expect(stderr).toBe("");
  return { code, found: new Map((JSON.parse(stdout) as Finding[]).map((one) => [one.name, one])) };
}

function states(found: ReadonlyMap<string, Finding>): Readonly<Record<string, string>> {
  return Object.fromEntries([...found].map(([name, { state }]) => [name, state]));
}

const NEW_MACHINE = {
  continuo: "fine",
  home: "missing",
  disk: "fine",
  settings: "fine",
  store: "missing",
  index: "fine",
  edits: "fine",
  lists: "fine",
  guard: "fine",
  ...Object.fromEntries(AGENT_NAMES.map((name) => [name, "missing"])),
};

test("a new machine has no problems, and the check creates no file", async () => {
  home.write(claudeFile(CLAUDE_ID), '{"type":"user","uuid":"a","message":{"role":"user","content":"hi"}}\n');
  const { code, found } = await doctor();
  expect([code, states(found)]).toEqual([0, NEW_MACHINE]);
  expect(found.get("claude")?.message).toBe("Claude Code is not installed; 1 session");
  expect(found.get("claude")?.hint).toContain("npm install -g");
  expect(existsSync(join(home.path, ".continuo"))).toBe(false);
});

test("an agent is compared with the newest version that was tried, and is not started", async () => {
  home.write("bin/codex", `#!/bin/sh\ntouch "${home.path}/started"\n`);
  chmodSync(join(home.path, "bin/codex"), 0o755);
  home.write("bin/package.json", '{ "version": "9.0.0" }');
  const { code, found } = await doctor();
  expect([code, states(found)]).toEqual([0, { ...NEW_MACHINE, codex: "warning" }]);
  expect(found.get("codex")?.message).toMatch(
    /^9\.0\.0 at ~\/bin\/codex; no sessions; newer than what Continuo was tried with \(\d[\d.]+\)$/u,
  );
  expect(existsSync(join(home.path, "started"))).toBe(false);
});

test.each([
  ["2.1.331", "2.1.330", true],
  ["2.1.330", "2.1.330", false],
  ["2.1.99", "2.1.330", false],
  ["3.0", "2.1.330", true],
  ["codex-cli 0.170.0-alpha.2", "0.169.0", true],
  ["unknown", "0.169.0", false],
])("%s is newer than %s: %s", (version, tried, newer) => {
  expect(isNewer(version, tried)).toBe(newer);
});

test("a folder that others can read is a warning with the command that corrects it", async () => {
  mkdirSync(join(home.path, ".continuo"), { mode: 0o755 });
  const { code, found } = await doctor();
  expect([code, found.get("home")]).toMatchObject([
    0,
    { state: "warning", hint: `Run \`chmod 700 ${home.path}/.continuo\`.` },
  ]);
});

test("a failed check gives exit code 4, and the other checks still run", async () => {
  home.write(".continuo/continuo.yaml", "agents: [");
  home.write(".continuo/continuo.db", "this is no database, and long enough to look like one".repeat(100));
  chmodSync(join(home.path, ".continuo"), 0o700);
  const { code, found } = await doctor();
  expect([code, states(found)]).toMatchObject([
    4,
    { home: "fine", settings: "broken", store: "broken", index: "fine", claude: "missing" },
  ]);
  for (const name of ["settings", "store"]) expect(found.get(name)?.hint).toMatch(/^[A-Z]/u);
});

test("a database that is not an index gives a warning", async () => {
  mkdirSync(join(home.path, ".continuo"), { mode: 0o700 });
  const other = new DatabaseSync(indexPathOf({ home: home.path, env: {} }));
  other.exec("create table notes (text)");
  other.close();
  const { code, found } = await doctor();
  expect([code, found.get("index")]).toMatchObject([
    0,
    { state: "warning", message: "is no index, or cannot be read" },
  ]);
});

test("the report for a person has a sign, a name and a message in each line, the advice below, and the counts at the end", async () => {
  mkdirSync(join(home.path, ".continuo"), { mode: 0o755 });
  const { stdout } = await runInProcess(home, ["doctor"], { env: { PATH: "/nowhere" } });
  expect(stdout).toContain("\nok  settings  no mistakes in any continuo.yaml\n");
  expect(stdout).toContain(
    `\n!!  home      ~/.continuo can be read by other users of this machine\n              Run \`chmod 700 ${home.path}/.continuo\`.\n`,
  );
  expect(stdout).toMatch(/\n\n1 warning\n$/u);
});
