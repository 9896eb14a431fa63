/** `continuo resume` of Gemini CLI's sessions, which it may delete, and `--print`, which changes nothing. */

import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { beforeEach, expect, test } from "vitest";
import { ageBy, snapshotOf } from "../agents/proof.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { tested } from "../tested-agents.ts";
import type { Run } from "./home.ts";
import { runInProcess } from "./in-process.ts";

const ROOT = join(import.meta.dirname, "../..");
const FIXTURES = join(ROOT, "test/fixtures");
/** The folder of each agent's files, below a home. */
const PLACES = tested(({ folder }) => folder);

let root: string;
let home: string;
let bin: string;

beforeEach(() => {
  root = scratchFolder("cli-resume");
  home = join(root, "home");
  bin = join(root, "bin");
  mkdirSync(bin);
});

function useFixture(agent: AgentName): string {
  const folder = join(FIXTURES, agent, "image");
  cpSync(join(folder, "home"), join(home, PLACES[agent]), { recursive: true });
  return String(JSON.parse(readFileSync(join(folder, "requests.json"), "utf8")).sessionId);
}

/** Runs the command with only the programs of a test. */
function continuo(...args: readonly string[]): Promise<Run> {
  return runInProcess({ path: home }, args, { cwd: root, env: { PATH: bin, NO_COLOR: "1" } });
}

/** A folder in which to continue, in place of the session's folder, which is on another machine. */
async function handedTo(agent: AgentName): Promise<string> {
  const id = useFixture("claude");
  const args = ["handoff", `claude:${id}`, "--to", agent, "--cwd", root, "--no-verify", "--json"];
  return JSON.parse((await continuo(...args)).stdout).sessionId;
}

test("a session of Gemini CLI is copied before Gemini CLI resumes it, byte for byte", async () => {
  const id = await handedTo("gemini");
  const { location } = JSON.parse((await continuo("session", "info", `gemini:${id}`, "--json")).stdout);
  const bytes = readFileSync(location);
  // Version 0.61 does this to a resumed session.
  writeFileSync(join(bin, "gemini"), `#!/bin/sh\n/bin/rm '${location}'\n`);
  chmodSync(join(bin, "gemini"), 0o755);
  expect((await continuo("resume", `gemini:${id}`)).code).toBe(0);
  expect(existsSync(location)).toBe(false);
  const name = location.split("/").at(-1);
  expect(readFileSync(join(home, ".continuo/safe-keeping/gemini", id, name))).toEqual(bytes);
});

test("--print prints the command of every agent, and changes nothing", async () => {
  const ids: { readonly agent: AgentName; readonly id: string }[] = [];
  for (const agent of AGENT_NAMES) {
    if (agent === "opencode") useFixture("opencode");
    ids.push({ agent, id: await handedTo(agent) });
  }
  await ageBy(200, home);
  const before = await snapshotOf(home);
  for (const { agent, id } of ids) {
    const { code, stdout } = await continuo("resume", `${agent}:${id}`, "--print");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`cd ${root} && ${agent} `) });
  }
  expect(await snapshotOf(home)).toEqual(before);
});

function geminiFile(name: string, sessionId: string): string {
  const chats = join(home, ".gemini/tmp/project/chats");
  mkdirSync(chats, { recursive: true });
  writeFileSync(join(chats, "../.project_root"), root);
  const head = { sessionId, projectHash: "x", startTime: "2026-11-22T05:00:00.000Z", kind: "main" };
  const message = {
    id: "m1",
    timestamp: "2026-11-22T05:00:01.000Z",
    type: "user",
    content: [{ text: "Hi" }],
  };
  const path = join(chats, name);
  writeFileSync(path, `${JSON.stringify(head)}\n${JSON.stringify(message)}\n`);
  return path;
}

test("a hostile id in a file cannot lead out of Continuo's folder, and is not read as an option", async () => {
  writeFileSync(join(bin, "gemini"), "#!/bin/sh\nexit 0\n");
  chmodSync(join(bin, "gemini"), 0o755);
  const climbing = geminiFile("session-2026-11-22T05-00-climbing.jsonl", "../../../../x");
  const option = geminiFile("session-2026-11-22T05-00-option.jsonl", "--yolo");
  for (const path of [climbing, option]) {
    const { code, stderr } = await continuo("resume", path);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/cannot be part of a path|for an option/u)]);
    expect((await continuo("session", "show", path)).code).toBe(0);
  }
  expect(existsSync(join(root, "x"))).toBe(false);
  expect(existsSync(join(home, "x"))).toBe(false);
});

test("a relative folder of a session is not resolved, and a line break in it does not begin a new line", async () => {
  const id = "4bf3c2a1-0000-4000-8000-00000000000a";
  const folder = join(home, ".claude/projects/x");
  mkdirSync(folder, { recursive: true });
  const line = (cwd: string): string =>
    `${JSON.stringify({ type: "user", uuid: "u1", parentUuid: null, sessionId: id, cwd, timestamp: "2026-11-22T05:00:00.000Z", message: { role: "user", content: "Hi" } })}\n`;
  writeFileSync(join(folder, `${id}.jsonl`), line("../../etc"));
  const forked = await continuo("session", "fork", id);
  expect([forked.code, forked.stderr]).toEqual([1, expect.stringContaining("absolute path")]);
  writeFileSync(join(folder, `${id}.jsonl`), line("/no\n\u001b[31mfolder"));
  for (const args of [
    ["resume", id],
    ["handoff", id, "--to", "pi"],
  ]) {
    const { stderr } = await continuo(...args);
    expect(stderr).toContain("/no␊␛[31mfolder");
    expect(stderr).not.toContain("\u001b");
  }
});
