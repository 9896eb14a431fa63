/** `session fork` and `session repair`, as people and programs use them. */

import { appendFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, createHome, type Home, writeSessions } from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;

beforeEach(() => {
  home = createHome();
  writeSessions(home);
});

const path = (): string => join(home.path, claudeFile(CLAUDE_ID));
const UUID = "[0-9a-f]{8}-[0-9a-f-]{27}";

describe("fork", () => {
  test("prints the new session and how to continue it", async () => {
    const before = readFileSync(path());
    const { code, stdout, stderr } = await runHere(home, ["session", "fork", CLAUDE_ID]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [name, file, from, , , command] = stdout.split("\n");
    expect(name).toMatch(new RegExp(`^claude:${UUID}  Fix the build \\(fork\\)$`, "u"));
    const id = name?.slice("claude:".length).split(" ")[0] ?? "";
    expect(file).toContain(`${id}.jsonl`);
    expect(from).toMatch(new RegExp(`^\\d+ messages of claude:${CLAUDE_ID}$`, "u"));
    expect(command).toMatch(new RegExp(`^  cd .+ && claude --resume ${id}$`, "u"));
    expect(readFileSync(path())).toEqual(before);
    expect((await runHere(home, ["session", "list"])).stdout).toContain("Fix the build (fork)");
  });

  test("prints JSON, and cuts after a message", async () => {
    const shown = JSON.parse((await runHere(home, ["session", "show", CLAUDE_ID, "--json"])).stdout);
    const at = shown.messages[0].id;
    const { stdout } = await runHere(home, ["session", "fork", CLAUDE_ID, "--at", at, "--json"]);
    const fork = JSON.parse(stdout);
    expect(fork).toEqual({
      agent: "claude",
      sessionId: expect.stringMatching(new RegExp(UUID, "u")),
      location: expect.stringContaining(fork.sessionId),
      title: "Fix the build (fork)",
      cwd: expect.any(String),
      forkedFrom: CLAUDE_ID,
      messages: 1,
      resumeCommand: ["claude", "--resume", fork.sessionId],
    });
    const forked = JSON.parse((await runHere(home, ["session", "show", fork.sessionId, "--json"])).stdout);
    expect(forked.messages).toHaveLength(1);
  });

  test("an unknown message is an error whose hint names the command that shows the ids (exit code 3)", async () => {
    const { code, stderr, stdout } = await runHere(home, ["session", "fork", CLAUDE_ID, "--at", "gone"]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("--json` to see the ids of its messages");
  });
});

describe("repair", () => {
  test("a session without damage is reported as such", async () => {
    const repaired = await runHere(home, ["session", "repair", CLAUDE_ID]);
    expect(repaired).toEqual({
      code: 0,
      stderr: "",
      stdout: `no problem to repair in claude:${CLAUDE_ID}\n`,
    });
  });

  test("shows what it would do, and writes nothing without a flag", async () => {
    appendFileSync(path(), '{"type":"user","uuid":"\u001b[31m');
    const before = readFileSync(path());
    const lines = before.toString().split("\n").length;
    const { code, stdout, stderr } = await runHere(home, ["session", "repair", CLAUDE_ID]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^--- ~\/\.claude\/projects\/.+\.jsonl$/u),
      "+++ repaired",
      `@@ line ${lines} @@ it breaks off`,
      expect.stringMatching(/^-\{"type":"user","uuid":"\P{Cc}*$/u),
      "",
      "one record to repair. Nothing was written: --output writes a copy, --in-place repairs the session.",
      "",
    ]);
    expect(readFileSync(path())).toEqual(before);
  });

  test("--output writes a private copy, and not over another file", async () => {
    appendFileSync(path(), "torn");
    const args = ["session", "repair", CLAUDE_ID, "--output", "copy.jsonl"];
    const { code, stdout } = await runHere(home, args);
    expect({ code, stdout: stdout.split("\n").at(-2) }).toEqual({
      code: 0,
      stdout: "one record repaired in the copy ~/copy.jsonl",
    });
    expect(statSync(join(home.path, "copy.jsonl")).mode & 0o777).toBe(0o600);
    expect((await runHere(home, args)).code).toBe(5);
  });

  test("--in-place repairs, and `session restore` restores the old state", async () => {
    appendFileSync(path(), "torn");
    const before = readFileSync(path());
    const { code, stdout } = await runHere(home, ["session", "repair", CLAUDE_ID, "--in-place", "--json"]);
    expect({ code, repair: JSON.parse(stdout) }).toEqual({
      code: 0,
      repair: {
        agent: "claude",
        sessionId: CLAUDE_ID,
        location: path(),
        edits: [
          { type: "removed", line: expect.any(Number), reason: "it breaks off", before: "torn", after: null },
        ],
        droppedResults: 0,
        remaining: [],
        written: path(),
        trashId: expect.stringContaining(CLAUDE_ID),
      },
    });
    expect(readFileSync(path())).toEqual(before.subarray(0, -"torn".length));
    expect((await runHere(home, ["session", "trash"])).stdout).toContain("Fix the build");
    expect((await runHere(home, ["session", "restore", CLAUDE_ID])).code).toBe(0);
    expect(readFileSync(path())).toEqual(before);
  });

  test("the repair of an open session is shown, but refused in place (exit code 5)", async () => {
    appendFileSync(path(), "torn");
    home.write(
      `.claude/sessions/${process.pid}.json`,
      JSON.stringify({ pid: process.pid, sessionId: CLAUDE_ID }),
    );
    expect((await runHere(home, ["session", "repair", CLAUDE_ID])).code).toBe(0);
    const before = readFileSync(path());
    expect((await runHere(home, ["session", "repair", CLAUDE_ID, "--in-place"])).code).toBe(5);
    expect(readFileSync(path())).toEqual(before);
    expect((await runHere(home, ["session", "fork", CLAUDE_ID])).code).toBe(0);
  });

  test("problems that a repair cannot solve are shown, and the exit code is 4", async () => {
    const header = {
      type: "session",
      version: 3,
      id: "p1",
      timestamp: "2026-01-01T00:00:00.000Z",
      cwd: "/x",
    };
    home.write(
      ".pi/agent/sessions/--x--/p1.jsonl",
      `${JSON.stringify(header)}\n${JSON.stringify({ ...header, id: "p2" })}\n`,
    );
    const { code, stdout } = await runHere(home, ["session", "repair", "pi:p1"]);
    expect({ code, lines: stdout.split("\n") }).toEqual({
      code: 4,
      lines: [
        "no problem to repair in pi:p1",
        "",
        "one problem remains, which a repair cannot solve:",
        "  line 2: a second header, of session p2 (wrong_session_id)",
        "",
      ],
    });
    const json = await runHere(home, ["session", "repair", "pi:p1", "--json"]);
    expect({ code: json.code, remaining: JSON.parse(json.stdout).remaining }).toEqual({
      code: 4,
      remaining: [expect.objectContaining({ code: "wrong_session_id", severity: "damage", line: 2 })],
    });
  });

  test("counts the results without a call, which it removes", async () => {
    const timestamp = "2026-01-01T00:00:00.000Z";
    const entry = (id: string, parentId: string | null, message: object) => ({
      type: "message",
      id,
      parentId,
      timestamp,
      message,
    });
    const result = (toolCallId: string) => ({
      role: "toolResult",
      toolCallId,
      toolName: "read",
      isError: false,
      content: [{ type: "text", text: "a note" }],
    });
    const records = [
      { type: "session", version: 3, id: "p1", timestamp, cwd: "/x" },
      entry("a0000001", null, { role: "user", content: [{ type: "text", text: "Read them." }] }),
      entry("a0000002", "a0000001", result("gone-1")),
      entry("a0000003", "a0000002", result("gone-2")),
    ];
    const lines = records.map((record) => `${JSON.stringify(record)}\n`);
    home.write(".pi/agent/sessions/--x--/p1.jsonl", lines.join(""));
    const { stdout } = await runHere(home, ["session", "repair", "pi:p1"]);
    expect(stdout).toContain("\n2 results are taken out: no call waits for them\n");
    const json = await runHere(home, ["session", "repair", "pi:p1", "--json"]);
    expect(JSON.parse(json.stdout).droppedResults).toBe(2);
    home.write(".pi/agent/sessions/--x--/p1.jsonl", lines.slice(0, -1).join(""));
    const one = await runHere(home, ["session", "repair", "pi:p1"]);
    expect(one.stdout).toContain("\none result is taken out: no call waits for it\n");
  });

  test("--output together with --in-place is a usage error (exit code 2)", async () => {
    expect((await runHere(home, ["session", "repair", CLAUDE_ID, "--in-place", "--output", "x"])).code).toBe(
      2,
    );
  });
});
