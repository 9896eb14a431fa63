/** `session delete`, `session restore` and `session trash`, as people and programs use them. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { CLAUDE_ID, CODEX_ID, claudeFile, createHome, HOSTILE_ID, type Home, writeSessions } from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;

beforeEach(() => {
  home = createHome();
  writeSessions(home);
});

async function idsListed(): Promise<string[]> {
  const { stdout } = await runHere(home, ["session", "list", "--json"]);
  return JSON.parse(stdout).map(({ sessionId }: { readonly sessionId: string }) => sessionId);
}

/** A fork whose file does not contain the messages that it continues. */
function writeFork(id: string, base: string): void {
  const meta = {
    id,
    timestamp: "2025-01-07T08:00:00.000Z",
    cwd: "/home/ann/tool",
    originator: "o",
    cli_version: "0.169.0",
  };
  const history_base = { thread_id: base, end_ordinal_exclusive: 2, end_byte_offset: 300 };
  const payload = { ...meta, history_mode: "paginated", forked_from_id: base, history_base };
  const line = { timestamp: meta.timestamp, ordinal: 0, type: "session_meta", payload };
  home.write(
    `.codex/sessions/2025/01/07/rollout-2025-01-07T08-00-00-${id}.jsonl`,
    `${JSON.stringify(line)}\n`,
  );
}

test("an id is quoted as one word in the command that restores it", async () => {
  home.write(claudeFile("x;touch y"), readFileSync(join(home.path, claudeFile(CLAUDE_ID)), "utf8"));
  const { stdout } = await runHere(home, ["session", "delete", "claude:x;touch y"]);
  expect(stdout).toContain("Restore it: continuo session restore 'claude:x;touch y'\n");
});

test("a deleted session is listed in the trash, and restored byte for byte", async () => {
  const before = readFileSync(join(home.path, claudeFile(CLAUDE_ID)), "utf8");
  const deleted = await runHere(home, ["session", "delete", "4bf3c"]);
  expect(deleted).toEqual({
    code: 0,
    stderr: "",
    stdout: `moved to the trash  claude:${CLAUDE_ID}  Fix the build\n\nIt is in ~/.continuo/trash until the trash is emptied.\nRestore it: continuo session restore claude:${CLAUDE_ID}\n`,
  });
  expect(await idsListed()).toEqual([CODEX_ID, HOSTILE_ID]);
  const listed = await runHere(home, ["session", "trash"]);
  expect(listed.stdout.split("\n").slice(0, 2)).toEqual([
    "agent   id        title          project        deleted  size",
    expect.stringMatching(/^claude {2}4bf3c2a1 {2}Fix the build {2}\/home\/ann\/app {6}now {2}3 KB$/u),
  ]);
  const restored = await runHere(home, ["session", "restore", "4bf3c"]);
  expect(restored).toEqual({
    code: 0,
    stderr: "",
    stdout: `restored  claude:${CLAUDE_ID}  Fix the build\n~/${claudeFile(CLAUDE_ID)}\n`,
  });
  expect(readFileSync(join(home.path, claudeFile(CLAUDE_ID)), "utf8")).toBe(before);
  expect((await runHere(home, ["session", "trash"])).stdout).toBe("The trash is empty.\n");
});

test("--json of all three commands has the same keys", async () => {
  const deleted = JSON.parse(
    (await runHere(home, ["session", "delete", CLAUDE_ID, "nothing", "--json"])).stdout,
  );
  expect(deleted).toEqual([
    {
      id: CLAUDE_ID,
      trashed: {
        agent: "claude",
        sessionId: CLAUDE_ID,
        title: "Fix the build",
        cwd: "/home/ann/app",
        updatedAt: "2025-01-05T10:01:01.000Z",
        sizeBytes: expect.any(Number),
        location: join(home.path, claudeFile(CLAUDE_ID)),
        trashId: expect.any(String),
        trashedAt: expect.any(String),
      },
      deleted: null,
      error: null,
    },
    {
      id: "nothing",
      trashed: null,
      deleted: null,
      error: {
        code: "not_found",
        message: 'there is no session "nothing"',
        hint: expect.any(String),
        details: {},
        page: "docs/errors.md#not_found",
      },
    },
  ]);
  const { trashed } = deleted[0];
  expect(JSON.parse((await runHere(home, ["session", "trash", "--json"])).stdout)).toEqual([trashed]);
  const restored = await runHere(home, ["session", "restore", trashed.trashId, "--json"]);
  expect(JSON.parse(restored.stdout)).toEqual(trashed);
});

test("if one session is refused, the others are still deleted: exit code 5, and each is reported", async () => {
  const fork = "01999999-1111-7222-8333-000000000002";
  writeFork(fork, CODEX_ID);
  const { code, stdout, stderr } = await runHere(home, [
    "session",
    "delete",
    CODEX_ID,
    "nothing",
    HOSTILE_ID,
  ]);
  expect(code).toBe(5);
  expect(stdout).toContain(`moved to the trash  claude:${HOSTILE_ID}  ␛]0;owned␇`);
  expect(stderr).toBe(
    [
      `continuo: ${CODEX_ID}: a fork reads the files of codex:${CODEX_ID}`,
      `Delete them first, or together with it: ${fork}`,
      'continuo: nothing: there is no session "nothing"',
      "Run `continuo session list --all --archived` to see every session.",
      "",
    ].join("\n"),
  );
  expect(await idsListed()).toEqual([fork, CODEX_ID, CLAUDE_ID]);
  const both = await runHere(home, ["session", "delete", CODEX_ID, fork]);
  expect([both.code, both.stderr]).toEqual([0, ""]);
  expect(await idsListed()).toEqual([CLAUDE_ID]);
});

test("a live session is refused", async () => {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const procStart = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  home.write(
    `.claude/sessions/${process.pid}.json`,
    JSON.stringify({ pid: process.pid, sessionId: CLAUDE_ID, procStart }),
  );
  const { code, stderr } = await runHere(home, ["session", "delete", CLAUDE_ID]);
  expect([code, stderr.split("\n")[0]]).toEqual([
    5,
    `continuo: ${CLAUDE_ID}: session ${CLAUDE_ID} is open in claude`,
  ]);
  expect(existsSync(join(home.path, claudeFile(CLAUDE_ID)))).toBe(true);
});

test("a restoration over another file is refused; an unknown id is not found", async () => {
  await runHere(home, ["session", "delete", CLAUDE_ID]);
  home.write(claudeFile(CLAUDE_ID), "other\n");
  expect((await runHere(home, ["session", "restore", CLAUDE_ID])).code).toBe(5);
  expect((await runHere(home, ["session", "restore", "nothing"])).code).toBe(3);
});

test("without a terminal, emptying needs --yes, and deletes only sessions that are old enough", async () => {
  await runHere(home, ["session", "delete", CLAUDE_ID]);
  const trash = join(home.path, ".continuo/trash");
  const refused = await runHere(home, ["session", "trash", "--empty"]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    "continuo: cannot ask for confirmation without a terminal: this deletes 1 session for good\nAdd --yes to confirm.\n",
  ]);
  const young = await runHere(home, ["session", "trash", "--empty", "--older-than", "30", "--yes"]);
  expect([young.stdout, readdirSync(trash).length]).toEqual(["0 sessions deleted for good\n", 1]);
  const emptied = await runHere(home, ["session", "trash", "--empty", "--yes"]);
  expect([emptied.stdout, readdirSync(trash)]).toEqual(["1 session deleted for good\n", []]);
  expect((await runHere(home, ["session", "trash", "--older-than", "soon"])).code).toBe(2);
});

test("example sessions cannot be deleted, because they do not belong to this machine", async () => {
  using empty = createHome();
  const { code, stderr } = await runHere(empty, ["session", "delete", "3a1f0c52"]);
  expect(code).toBe(3);
  expect(stderr).toContain("this is an example session, which cannot be changed");
});
