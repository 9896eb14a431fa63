import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Places } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { claudeFormat } from "./index.ts";
import { projectNameOf } from "./places.ts";

const A = "aaaaaaaa-0000-4000-8000-000000000001";
const B = "bbbbbbbb-0000-4000-8000-000000000002";

let home: string;
let places: Places;
beforeEach(() => {
  home = scratchFolder("find");
  places = { home, env: {} };
});

function write(path: string, text: string): string {
  const whole = join(home, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

const prompt = (cwd?: string): string =>
  `${JSON.stringify({ type: "user", uuid: "u1", parentUuid: null, message: { role: "user", content: "hi" }, ...(cwd ? { cwd } : {}) })}\n`;

async function ids(options: { cwd?: string } = {}, at: Places = places): Promise<string[]> {
  return (await Array.fromAsync(claudeFormat.find(at, options))).map((found) => found.sessionId).sort();
}

test("a place that does not exist holds no session", async () => {
  expect(await ids()).toEqual([]);
  expect(await ids({ cwd: "/nowhere" })).toEqual([]);
});

test("sessions of all projects are found, sub-agents and other files are not", async () => {
  write(`.claude/projects/-a/${A}.jsonl`, prompt());
  write(`.claude/projects/-b/${B}.jsonl`, prompt());
  write(`.claude/projects/-a/agent-abc.jsonl`, prompt());
  write(`.claude/projects/-a/${A}/subagents/agent-def.jsonl`, prompt());
  write(`.claude/projects/-a/notes.txt`, "x");
  expect(await ids()).toEqual([A, B]);
});

test("CLAUDE_CONFIG_DIR moves everything", async () => {
  write(`moved/projects/-a/${A}.jsonl`, prompt());
  write(`.claude/projects/-a/${B}.jsonl`, prompt());
  expect(await ids({}, { home, env: { CLAUDE_CONFIG_DIR: join(home, "moved") } })).toEqual([A]);
});

test("CLAUDE_CODE_PROJECT_DIR_NAME names the folder, in which sessions of several cwds are mixed", async () => {
  write(`.claude/projects/all/${A}.jsonl`, prompt("/home/dev/a"));
  write(`.claude/projects/all/${B}.jsonl`, prompt("/home/dev/b"));
  const at = { home, env: { CLAUDE_CODE_PROJECT_DIR_NAME: "all" } };
  expect(await ids({ cwd: "/home/dev/a" }, at)).toEqual([A]);
});

test.each([
  ["/home/dev/my proj_é.(x)", "-home-dev-my-proj----x-"],
  ["/tmp/😀", "-tmp---"],
  [`/${"x".repeat(199)}`, `-${"x".repeat(199)}`],
])("the folder of %s", (path, name) => {
  expect(projectNameOf(path)).toBe(name);
});

test("a path of more than 200 characters is cut and hashed", () => {
  const path = `/home/${"long-name/".repeat(30)}`;
  const name = projectNameOf(path);
  expect(name.slice(0, 200)).toBe(path.replace(/[^a-zA-Z0-9]/g, "-").slice(0, 200));
  let hash = 0n;
  for (const char of path) hash = BigInt.asIntN(32, (hash << 5n) - hash + BigInt(char.charCodeAt(0)));
  expect(name.slice(200)).toBe(`-${(hash < 0n ? -hash : hash).toString(36)}`);
});

test("a symbolic link and a decomposed Unicode name find the folder", async () => {
  const real = join(home, "projekt-\u00e9");
  mkdirSync(real);
  symlinkSync(real, join(home, "link"));
  write(`.claude/projects/${projectNameOf(real)}/${A}.jsonl`, prompt(real));
  expect(await ids({ cwd: join(home, "link") })).toEqual([A]);
  expect(await ids({ cwd: join(home, "projekt-e\u0301") })).toEqual([A]);
});

test("two folders with the same name are distinguished by the cwd in the lines", async () => {
  write(`.claude/projects/-home-dev-a-b/${A}.jsonl`, prompt("/home/dev/a-b"));
  write(`.claude/projects/-home-dev-a-b/${B}.jsonl`, prompt("/home/dev/a/b"));
  expect(await ids({ cwd: "/home/dev/a-b" })).toEqual([A]);
  expect(await ids({ cwd: "/home/dev/a/b" })).toEqual([B]);
});

test("a session that was moved to the folder by hand is found there", async () => {
  write(`.claude/projects/-home-dev-new/${A}.jsonl`, prompt("/home/dev/old"));
  write(`.claude/projects/-home-dev-new/${B}.jsonl`, prompt());
  expect(await ids({ cwd: "/home/dev/new" })).toEqual([A, B]);
});

test("archived sessions are found and marked", async () => {
  write(`.claude/projects/-a/${A}.jsonl`, prompt());
  write(
    `.claude/projects/-a/${A}/archived.json`,
    '{"archived":true,"at":"2026-01-01T00:00:00Z","by":"user"}',
  );
  write(`.claude/projects/-a/${B}.jsonl`, prompt());
  write(`.claude/projects/-a/${B}/archived.json`, '{"archived":false}');
  const found = await Array.fromAsync(claudeFormat.find(places, {}));
  expect(found.map(({ sessionId, archived }) => [sessionId, archived])).toEqual([
    [A, true],
    [B, false],
  ]);
});

test("a file that cannot be read is listed with its problem", async () => {
  mkdirSync(join(home, `.claude/projects/-a/${A}.jsonl`), { recursive: true });
  symlinkSync("/nowhere/at/all", join(home, `.claude/projects/-a/${B}.jsonl`));
  const found = await Array.fromAsync(claudeFormat.find(places, {}));
  expect(found.map((each) => each.problems.map((problem) => problem.code))).toEqual([
    ["unreadable"],
    ["unreadable"],
  ]);
  for (const each of found) {
    const row = await claudeFormat.skim(each, { part: "whole" });
    expect(row).toMatchObject({ sessionId: each.sessionId, title: null, problems: [{ code: "unreadable" }] });
    await expect(claudeFormat.open(each, places, {})).rejects.toMatchObject({ code: "unreadable" });
  }
});

test("a folder that cannot be listed is shown in place of its sessions", async () => {
  mkdirSync(join(home, ".claude/projects"), { recursive: true });
  symlinkSync("loop", join(home, ".claude/projects/loop"));
  const found = await Array.fromAsync(claudeFormat.find(places, {}));
  expect(found).toMatchObject([{ sessionId: "loop", files: [], problems: [{ code: "unreadable" }] }]);
});

test("a session is recognised by its file name, or by its lines if the name is not an id", async () => {
  const named = write(`anywhere/${A}.jsonl`, prompt());
  const other = write("anywhere/copy.jsonl", prompt().replace("{", `{"sessionId":"${B}",`));
  expect(await claudeFormat.recognise(named, places)).toMatchObject({
    agent: "claude",
    sessionId: A,
    location: named,
  });
  expect(await claudeFormat.recognise(other, places)).toMatchObject({ sessionId: B, location: other });
});

test("files of other agents, and files that are not sessions, are not recognised", async () => {
  const files = [
    write("codex.jsonl", '{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x"}}\n'),
    write(
      "pi.jsonl",
      '{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00Z","cwd":"/a"}\n',
    ),
    write(
      "gemini.jsonl",
      '{"sessionId":"x","projectHash":"y","startTime":"2026-01-01T00:00:00Z"}\n{"id":"1","type":"user","content":"hi"}\n',
    ),
    write("empty.jsonl", ""),
    write("notes.txt", prompt()),
    join(home, "missing.jsonl"),
    home,
  ];
  for (const file of files) expect(await claudeFormat.recognise(file, places)).toBeNull();
});

test("a damaged file in Claude Code's own folder is recognised by its place", async () => {
  const file = write(`.claude/projects/-a/${A}.jsonl`, "{broken\n");
  expect(await claudeFormat.recognise(file, places)).toMatchObject({ sessionId: A });
});

async function liveOf(id: string): Promise<boolean | null | undefined> {
  return (await Array.fromAsync(claudeFormat.find(places, {}))).find((found) => found.sessionId === id)?.live;
}

test("a session is live while the process that has it open runs", async () => {
  write(`.claude/projects/-a/${A}.jsonl`, prompt());
  expect(await liveOf(A)).toBeNull();
  mkdirSync(join(home, ".claude/sessions"));
  expect(await liveOf(A)).toBe(false);

  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const mark = (fields: object): string =>
    write(`.claude/sessions/${child.pid}.json`, JSON.stringify({ pid: child.pid, sessionId: A, ...fields }));
  mark({});
  expect(await liveOf(A)).toBe(true);
  expect(await liveOf(B)).toBeUndefined();
  if (process.platform === "linux") {
    const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8");
    const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    mark({ procStart: started });
    expect(await liveOf(A)).toBe(true);
    mark({ procStart: "1" });
    expect(await liveOf(A)).toBe(false);
    mark({ procStart: started, pidDomain: "linux:0:pid:[1]" });
    expect(await liveOf(A)).toBeNull();
  }
  mark({});
  child.stdin?.end();
  child.kill("SIGKILL");
  await ended;
  expect(await liveOf(A)).toBe(false);
});

test.runIf(process.platform === "linux")(
  "a session is not live in a process that was killed, and that nobody waited for",
  async () => {
    write(`.claude/projects/-a/${A}.jsonl`, prompt());
    // `exec` replaces the shell with a program that does not wait for the child of the shell.
    const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"]);
    try {
      const [said] = await once(parent.stdout, "data");
      const pid = Number(String(said));
      write(`.claude/sessions/${pid}.json`, JSON.stringify({ pid, sessionId: A }));
      expect(await liveOf(A)).toBe(true);
      // The shell itself would wait for its child.
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
      process.kill(pid, "SIGKILL");
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z ");
      expect(await liveOf(A)).toBe(false);
    } finally {
      parent.kill("SIGKILL");
    }
  },
);

test("a mark that is not JSON is ignored", async () => {
  write(`.claude/projects/-a/${A}.jsonl`, prompt());
  write(".claude/sessions/1.json", "{");
  expect(await liveOf(A)).toBe(false);
});
