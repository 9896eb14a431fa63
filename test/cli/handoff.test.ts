/** `continuo handoff` and `continuo resume`, as a person or a script runs them. */

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { type Run, runWith } from "./home.ts";
import { runHere } from "./in-process.ts";

const ROOT = join(import.meta.dirname, "../..");
const ID = "5f0c2b1e-7d43-4a86-9a55-0c1f2e3d4b5a";

const home = scratchFolder("cli-handoff");
let cwd: string;
let bin: string;

beforeAll(() => {
  cwd = join(home, "my project");
  bin = join(home, "bin");
  mkdirSync(cwd);
  mkdirSync(bin);
  const fixture = join(ROOT, "test/fixtures/claude/parallel-tools/home");
  cpSync(fixture, join(home, ".claude"), { recursive: true });
  // The script prints its arguments, because `resume` only promises to start the agent.
  writeFileSync(join(bin, "codex"), '#!/bin/sh\necho "$PWD: $*"\nexit 3\n');
  chmodSync(join(bin, "codex"), 0o755);
});

function continuo(...args: readonly string[]): Run {
  return runWith({ home, bin, cwd }, args);
}

/** Runs the command in this process; other tests start it as a program. */
async function here(...args: readonly string[]): Promise<Run> {
  return await runHere({ path: home }, args, { cwd, env: { PATH: bin, NO_COLOR: "1" } });
}

describe("export --bundle and import", () => {
  test("a session is packed, and placed on a machine with another home and folder", async () => {
    const file = join(home, "timer.bundle");
    const packed = await here("session", "export", ID, "--bundle", file);
    expect(packed).toMatchObject({ code: 0, stdout: "" });
    expect(packed.stderr).toContain(`claude:${ID}, 1 file: ~/timer.bundle, `);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await here("session", "export", ID, "--bundle", file);
    expect(again).toMatchObject({ code: 5, stderr: expect.stringContaining("--force") });
    const other = scratchFolder("cli-import");
    const there = (...args: readonly string[]): Promise<Run> =>
      runHere({ path: other }, args, { env: { PATH: bin } });
    const lost = await there("import", file);
    expect([lost.code, lost.stderr]).toEqual([2, expect.stringContaining("--cwd DIR")]);
    expect((await there("import", file, "--cwd", ".", "--dry-run")).stdout).toContain("Nothing was written");
    expect(existsSync(join(other, ".claude"))).toBe(false);
    const made = await there("import", file, "--cwd", ".", "--json");
    expect([made.code, made.stderr]).toEqual([0, ""]);
    const { sessionId, resumeCommand } = JSON.parse(made.stdout);
    expect(resumeCommand).toEqual(["claude", "--resume", sessionId]);
    const listed = JSON.parse((await there("session", "list", "--json")).stdout);
    expect(listed).toMatchObject([{ agent: "claude", sessionId, cwd: realpathSync(other) }]);
    const moved = await there("import", file, "--cwd", ".", "--to", "codex", "--no-verify", "--json");
    expect(JSON.parse(moved.stdout)).toMatchObject({ agent: "codex", verification: { by: "continuo" } });
  });

  test("conversations of sub-agents are placed if the session goes to their own agent; otherwise the report counts them", async () => {
    const other = scratchFolder("cli-import");
    cpSync(join(import.meta.dirname, "../fixtures/claude/subagent/home"), join(other, ".claude"), {
      recursive: true,
    });
    const there = (...args: readonly string[]) => runHere({ path: other }, args, { env: { PATH: bin } });
    const [session] = JSON.parse((await there("session", "list", "--json")).stdout);
    expect((await there("session", "export", session.sessionId, "--bundle", "a.bundle")).code).toBe(0);
    const own = await there("import", "a.bundle", "--cwd", ".", "--no-verify", "--json");
    expect([own.code, own.stderr]).toEqual([0, ""]);
    const { subagents } = JSON.parse(
      (await there("session", "info", JSON.parse(own.stdout).sessionId, "--json")).stdout,
    );
    expect(subagents).toMatchObject([{ description: "Count the teas" }]);
    const to = ["--to", "codex", "--cwd", ".", "--no-verify", "--json"];
    const { code, stderr } = await there("import", "a.bundle", ...to);
    expect([code, stderr]).toEqual([
      0,
      "The conversation of 1 sub-agent is not placed: the bundle keeps it.\n",
    ]);
  });

  test("the sub-agent of an imported session of opencode is in its database, and linked to the call that started it", async () => {
    const other = scratchFolder("cli-import");
    for (const [home, fixture] of [
      ["there", "sub-agent"],
      ["here", "text-and-thinking"],
    ] as const) {
      const from = join(import.meta.dirname, `../fixtures/opencode/${fixture}/home`);
      cpSync(from, join(other, home), { recursive: true });
    }
    const on = (home: string, ...args: readonly string[]) =>
      runHere({ path: other }, args, { env: { PATH: bin, XDG_DATA_HOME: join(other, home) } });
    const [{ sessionId }] = JSON.parse((await on("there", "session", "list", "--json")).stdout);
    expect((await on("there", "session", "export", sessionId, "--bundle", "a.bundle")).code).toBe(0);
    const importedTo = async (home: string) => {
      const own = await on(home, "import", "a.bundle", "--cwd", ".", "--no-verify", "--json");
      expect([own.code, own.stderr]).toEqual([0, ""]);
      const made = JSON.parse(own.stdout);
      const { subagents } = JSON.parse((await on(home, "session", "info", made.sessionId, "--json")).stdout);
      const [child] = subagents;
      const said = await on(home, "session", "show", child.location, "--json");
      expect([said.code, subagents.length]).toEqual([0, 1]);
      const messages = JSON.parse(said.stdout).messages.map(
        (message: { readonly role: string; readonly content: unknown }) => [message.role, message.content],
      );
      return { child, messages };
    };
    const { subagents: before } = JSON.parse(
      (await on("there", "session", "info", sessionId, "--json")).stdout,
    );
    const { id, type, description, toolCallId } = before[0];
    const first = await importedTo("here");
    expect(first.messages.length).toBeGreaterThan(1);
    expect(first.child).toMatchObject({ id, type, description, toolCallId });
    // Now the database has a session with this id.
    const second = await importedTo("here");
    expect(second.child).toMatchObject({ type, description, toolCallId });
    expect(second.child.id).not.toBe(id);
    expect(second.messages).toEqual(first.messages);
    const listed = JSON.parse((await on("here", "session", "list", "--json")).stdout);
    expect(listed).toHaveLength(3);
  });

  test("the sub-agent of an imported session of Codex is where Codex looks for it, and names its new session", async () => {
    const other = scratchFolder("cli-import");
    const child = "rollout-2026-11-21T22-53-40-01a20050-baf5-7330-87a1-0eb5a788eb57.jsonl";
    cpSync(join(import.meta.dirname, "../formats/codex/sub-agent/home"), join(other, "there"), {
      recursive: true,
    });
    const on = (home: string, ...args: readonly string[]) =>
      runHere({ path: other }, args, { env: { PATH: bin, CODEX_HOME: join(other, home) } });
    const id = "01a20050-baa6-7ff1-8449-3131409c2940";
    expect((await on("there", "session", "export", id, "--bundle", "a.bundle")).code).toBe(0);
    const own = await on("here", "import", "a.bundle", "--cwd", ".", "--no-verify", "--json");
    expect([own.code, own.stderr]).toEqual([0, ""]);
    const { sessionId } = JSON.parse(own.stdout);
    const { subagents } = JSON.parse((await on("here", "session", "info", sessionId, "--json")).stdout);
    expect(subagents).toMatchObject([{ description: "/root/kid" }]);
    const path = join(other, "here/sessions/2026/11/21", child);
    const [header = ""] = readFileSync(path, "utf8").split("\n");
    expect(JSON.parse(header).payload).toMatchObject({
      id: "01a20050-baf5-7330-87a1-0eb5a788eb57",
      session_id: sessionId,
      parent_thread_id: sessionId,
      cwd: other,
    });
    const again = await on("here", "import", "a.bundle", "--cwd", ".", "--no-verify", "--json");
    expect([again.code, again.stderr]).toEqual([0, ""]);
    expect(readFileSync(path, "utf8").split("\n")[0]).toBe(header);
  });

  test("a session keeps the title that a person gave it, and in another agent the title names its origin", async () => {
    const machines = scratchFolder("cli-import");
    const on = async (machine: string, ...args: readonly string[]) => {
      const root = join(machines, machine);
      mkdirSync(root, { recursive: true });
      return (await runHere({ path: root }, args, { env: { PATH: bin } })).stdout;
    };
    const fixture = join(ROOT, "test/fixtures/codex/title/home");
    cpSync(fixture, join(machines, "first/.codex"), { recursive: true });
    const [{ sessionId }] = JSON.parse(await on("first", "session", "list", "--json"));
    await on("first", "session", "export", sessionId, "--bundle", "../a.bundle");
    for (const agent of ["codex", "claude"]) {
      await on("second", "import", "../a.bundle", "--cwd", ".", "--to", agent, "--no-verify");
    }
    const listed: readonly { readonly agent: string; readonly title: string }[] = JSON.parse(
      await on("second", "session", "list", "--json"),
    );
    expect(Object.fromEntries(listed.map(({ agent, title }) => [agent, title]))).toEqual({
      codex: "A name for the timer",
      claude: "from codex: A name for the timer",
    });
  });

  test("the folder that a bundle names is used only if it is an absolute path", async () => {
    const file = join(home, "told.bundle");
    expect((await here("session", "export", ID, "--bundle", file)).code).toBe(0);
    const packed = gunzipSync(readFileSync(file));
    const end = packed.indexOf("\n");
    const manifest: object = JSON.parse(packed.subarray(0, end).toString());
    for (const told of [".", "../my project"]) {
      const head = Buffer.from(JSON.stringify({ ...manifest, cwd: told }));
      writeFileSync(file, gzipSync(Buffer.concat([head, packed.subarray(end)])));
      const { code, stderr } = await here("import", file, "--dry-run");
      expect([code, stderr]).toEqual([
        2,
        `continuo: the bundle names its folder by a relative path: ${told}\nName the folder of the project here with --cwd DIR.\n`,
      ]);
    }
  });

  test("a file that is not a bundle is refused with a hint", async () => {
    const file = join(home, "letter.txt");
    writeFileSync(file, "hello");
    const { code, stderr } = await here("import", file, "--cwd", ".");
    expect([code, stderr]).toEqual([4, expect.stringContaining("session export ID --bundle FILE")]);
    expect((await here("import", join(home, "none"))).code).toBe(3);
  });
});

describe("handoff", () => {
  test("--dry-run reports what would be lost, and writes nothing", async () => {
    const { code, stdout } = await here("handoff", ID, "--to", "codex", "--cwd", cwd, "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toBe(
      "13 of 13 carried over; 1 thinking: signed by another vendor: without the signature\n\nNothing was written: a new session of codex would contain this.\n",
    );
    const verbose = await here("handoff", ID, "--to", "codex", "--cwd", cwd, "--dry-run", "--verbose");
    expect(verbose.stdout).toContain("tool_call    4 kept, 0 rewritten, 0 noted, 0 dropped");
    expect(verbose.stdout).toContain("thinking rewritten: signed by another vendor: without the signature");
    expect(existsSync(join(home, ".codex"))).toBe(false);
  });

  test("--max-loss fails before anything is written", async () => {
    const loss = ["--max-loss", "tool_call=0", "--max-loss", "other=0"];
    const { code, stderr } = await here("handoff", ID, "--to", "codex", "--cwd", cwd, ...loss, "--json");
    expect(code).toBe(6);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "fidelity", details: { lost: {} } } });
    expect(existsSync(join(home, ".codex"))).toBe(false);
  });

  test("writes a session that the target lists, and prints how to continue it; --json has its keys", async () => {
    const args = ["handoff", ID, "--to", "codex", "--cwd", cwd, "--no-verify", "--json"];
    const { code, stdout } = continuo(...args);
    expect(code).toBe(0);
    const made = JSON.parse(stdout);
    expect(Object.keys(made)).toEqual([
      "agent",
      "sessionId",
      "location",
      "resumeCommand",
      "receipt",
      "verification",
      "madeDatabase",
    ]);
    expect(made.resumeCommand).toEqual(["codex", "resume", made.sessionId]);
    const listed = JSON.parse((await here("session", "list", "--agent", "codex", "--json")).stdout);
    expect(listed).toMatchObject([
      { sessionId: made.sessionId, title: expect.stringMatching(/^from claude: /) },
    ]);
  });

  test.each([
    ["no folder", ["handoff", ID, "--to", "codex", "--no-verify"], 3],
    ["no such agent", ["handoff", ID, "--to", "cursor"], 2],
    ["no such session", ["handoff", "nobody", "--to", "codex"], 3],
    ["no count", ["handoff", ID, "--to", "codex", "--max-loss", "calls=0"], 2],
  ])("%s", async (_name, args, exitCode) => {
    expect((await here(...args)).code).toBe(exitCode);
  });

  /** A copy of the session with another folder, or without one. */
  function copyWith(name: string, cwd: string | null): string {
    const source = join(home, ".claude/projects/-home-dev-project", `${ID}.jsonl`);
    const told = cwd === null ? "" : `"cwd":${JSON.stringify(cwd)},`;
    const path = join(home, name);
    writeFileSync(path, readFileSync(source, "utf8").replaceAll(/"cwd":"[^"]*",/gu, told));
    return path;
  }

  const NAME_ONE = "Name a folder with --cwd DIR.";

  test("the folder to continue in is never guessed", async () => {
    const to = ["--to", "codex", "--dry-run", "--json"];
    const failed = async (...args: readonly string[]): Promise<unknown> => {
      const { code, stderr } = await here("handoff", ...args, ...to);
      const { error } = JSON.parse(stderr);
      return { exit: code, code: error.code, message: error.message, hint: error.hint };
    };
    // The working folder of the command has a folder with this name.
    expect(await failed(copyWith("relative.jsonl", "../my project"))).toEqual({
      exit: 2,
      code: "usage",
      hint: NAME_ONE,
      message: "the session names its folder by a relative path: ../my project",
    });
    expect(await failed(copyWith("untold.jsonl", null))).toEqual({
      exit: 2,
      code: "usage",
      hint: NAME_ONE,
      message: "the session does not name its folder",
    });
    expect(await failed(ID)).toEqual({
      exit: 3,
      code: "not_found",
      hint: NAME_ONE,
      message: "there is no folder /home/dev/project",
    });
    const file = copyWith("file.jsonl", null);
    expect(await failed(ID, "--cwd", file)).toEqual({
      exit: 3,
      code: "not_found",
      hint: NAME_ONE,
      message: `${file} is a file, not a folder`,
    });
    expect(await failed(ID, "--cwd", "")).toMatchObject({ exit: 2, code: "usage" });
    for (const agent of [[], ["--agent", "codex"]]) {
      const resumed = await here("resume", join(home, "relative.jsonl"), "--print", ...agent);
      expect(resumed.code).toBe(2);
      expect(resumed.stderr).toContain("the session names its folder by a relative path: ../my project");
      const to = agent[1] ?? "claude";
      expect(resumed.stderr).toContain(`\`continuo handoff claude:${ID} --to ${to} --cwd DIR\``);
    }
  });

  test("chat names the session and its agent if the session's folder no longer exists", async () => {
    const { code, stderr } = await here("chat", "why?", "--resume", ID);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(`\`continuo handoff claude:${ID} --to claude --cwd DIR\``),
    ]);
    const none = await here("chat", "why?", "--cwd", "nowhere");
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining("name another one with --cwd DIR")]);
  });

  test.each([
    ["a missing message", ["--from-message", "nobody"], 3, "not_found", "session show"],
    ["contradicting limits", ["--strategy", "full", "--max-tokens", "5"], 2, "usage", "Leave out"],
  ])("%s: an error with a hint", async (_name, args, exitCode, errorCode, hint) => {
    const { code, stderr } = await here("handoff", ID, "--to", "codex", "--cwd", cwd, ...args, "--json");
    expect(code).toBe(exitCode);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: errorCode, hint: expect.stringContaining(hint) },
    });
  });
});

describe("resume", async () => {
  const sessionsOf = async (
    agent: string,
  ): Promise<{ readonly sessionId: string; readonly location: string }[]> =>
    JSON.parse((await here("session", "list", "--agent", agent, "--json")).stdout);
  const made = async (): Promise<string> => (await sessionsOf("codex"))[0]?.sessionId ?? "";

  test("--print prints a line for a shell", async () => {
    const id = await made();
    expect((await here("resume", id, "--print")).stdout).toBe(`cd '${cwd}' && codex resume ${id}\n`);
  });

  test("--agent --print hands over, then prints only the line: a shell starts the other agent there", async () => {
    const { code, stdout, stderr } = await here("resume", await made(), "--agent", "pi", "--print");
    const listed = await sessionsOf("pi");
    expect({ code, sessions: listed.length }).toEqual({ code: 0, sessions: 1 });
    const { sessionId, location } = listed[0] ?? {};
    expect(stdout).toMatch(/^cd '[^\n]*\n$/u);
    expect(stderr).toContain("tool_call    4 kept");
    expect(stderr).toContain(`pi:${sessionId}`);
    writeFileSync(join(bin, "pi"), '#!/bin/sh\necho "$PWD: $*"\n');
    chmodSync(join(bin, "pi"), 0o755);
    const env = { PATH: bin };
    const evaluated = spawnSync("/bin/sh", ["-c", `eval "${"$"}1"`, "sh", stdout], { env, encoding: "utf8" });
    rmSync(join(bin, "pi"));
    expect(evaluated.stdout).toBe(`${cwd}: --session ${location}\n`);
  });

  test("starts the agent in the session's folder, with the arguments after `--`, and exits with its exit code", async () => {
    const id = await made();
    const { code, stdout } = continuo("resume", id, "--", "--model", "a b");
    expect({ code, stdout }).toEqual({ code: 3, stdout: `${cwd}: resume ${id} --model a b\n` });
  });

  test("nothing is handed over to an agent that is not installed", async () => {
    const { code, stderr } = await here("resume", await made(), "--agent", "claude");
    expect(code).toBe(8);
    expect(stderr).toBe(
      "continuo: claude is not installed\nRun `continuo agents` to see how to install it.\n",
    );
    expect(await sessionsOf("claude")).toHaveLength(1);
  });

  test("a folder that no longer exists is reported, and so is an agent that is not installed", async () => {
    const gone = await here("resume", ID);
    expect(gone.code).toBe(3);
    expect(gone.stderr).toContain("no longer exists");
    const other = JSON.parse(
      (await here("handoff", ID, "--to", "pi", "--cwd", cwd, "--no-verify", "--json")).stdout,
    );
    expect((await here("resume", other.sessionId)).code).toBe(8);
  });
});
