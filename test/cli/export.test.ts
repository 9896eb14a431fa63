/** `session export`: one file in each format, which is written completely or not at all. */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtViewer } from "../sizes/shared-programs.ts";
import {
  CLAUDE_ID,
  claudeFile,
  claudeText,
  createHome,
  HOSTILE_ID,
  type Home,
  run,
  writeSessions,
} from "./home.ts";
import { runHere } from "./in-process.ts";

beforeAll(builtViewer);

let home: Home;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
});

const exported = async (...args: readonly string[]) => await runHere(home, ["session", "export", ...args]);

test("json is the output of `session show --json`; jsonl has its messages, one in each line", async () => {
  const shown = await run(home, ["session", "show", CLAUDE_ID, "--json"]);
  const json = await run(home, ["session", "export", CLAUDE_ID, "--format", "json"]);
  expect(json).toEqual(shown);
  const { stdout } = await exported(CLAUDE_ID, "--format", "jsonl");
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(json.stdout).messages);
});

test("the extension of the file's name determines the format; the default is Markdown", async () => {
  for (const [name, start] of [
    ["a.html", "<!doctype html>"],
    ["a.HTM", "<!doctype html>"],
    ["a.json", "{"],
    ["a.jsonl", '{"id"'],
    ["a.md", "# Fix the build"],
    ["a", "# Fix the build"],
  ] as const) {
    const { code, stdout } = await exported(CLAUDE_ID, "--output", name);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(readFileSync(join(home.path, name), "utf8").startsWith(start)).toBe(true);
    expect(statSync(join(home.path, name)).mode & 0o777).toBe(0o600);
  }
});

test("HTML for browsers without scripts has every branch with a heading", async () => {
  const { stdout } = await exported(CLAUDE_ID, "--format", "html", "--all");
  expect(stdout.match(/<h2>Branch.*<\/h2>/gu)).toEqual(["<h2>Branch 2 of 2: <bdi>Fix the build</bdi></h2>"]);
  expect(stdout).toContain("Old end.");
  expect((await exported(CLAUDE_ID, "--format", "html")).stdout).not.toContain("Old end.");
});

test("html has only the named turns, and no other format accepts turns", async () => {
  const { stdout } = await exported(CLAUDE_ID, "--format", "html", "--turns", "1");
  expect(stdout).toContain("<main>");
  expect((await exported(CLAUDE_ID, "--turns", "1")).code).toBe(2);
  expect((await exported(CLAUDE_ID, "--format", "html", "--turns", "1", "--all")).code).toBe(2);
});

test("terminal escapes are visible in every format that is text", async () => {
  for (const format of ["md", "html", "json", "jsonl"]) {
    const { stdout } = await exported(HOSTILE_ID, "--format", format);
    expect(stdout).not.toContain("\u001b");
    // A browser with scripts reads the data, and the viewer renders it.
    const [shown = ""] = stdout.split('<script type="application/json"');
    // In text that a person reads, direction characters are kept, inside a separate isolate.
    expect(shown.replaceAll("\u2068\u202egnp.exe\u202c\u2069", "")).not.toContain("\u202e");
  }
});

test("`session show` prints direction characters visibly, even in a pipe, whose output may reach a terminal", async () => {
  expect((await runHere(home, ["session", "show", HOSTILE_ID])).stdout).not.toMatch(/[\u202e\u2068]/u);
});

test("an existing file is replaced only with --force, as a whole, and a failed write leaves nothing behind", async () => {
  writeFileSync(join(home.path, "a.md"), "old");
  const refused = await exported(CLAUDE_ID, "--output", "a.md");
  expect([refused.code, refused.stderr]).toEqual([
    5,
    expect.stringMatching(/cannot write .*a\.md: the file already exists/u),
  ]);
  expect(readFileSync(join(home.path, "a.md"), "utf8")).toBe("old");
  expect((await exported(CLAUDE_ID, "--output", "a.md", "--force")).code).toBe(0);
  expect(readFileSync(join(home.path, "a.md"), "utf8")).toContain("Fix the build");
  const before = readdirSync(home.path);
  const missing = await exported(CLAUDE_ID, "--output", "no/such/folder/a.md");
  expect([missing.code, missing.stderr.split(":")[0]]).toEqual([1, "continuo"]);
  mkdirSync(join(home.path, "folder"));
  const folder = await exported(CLAUDE_ID, "--output", "folder");
  expect([folder.code, folder.stderr]).toEqual([1, expect.stringContaining("cannot write")]);
  expect(readdirSync(home.path).sort()).toEqual([...before, "folder"].sort());
  expect((await exported(CLAUDE_ID, "--format", "pdf")).code).toBe(2);
});

test.each(["", "link.md"])(
  "a file in an agent's folder is never written, not even with --force (%s)",
  async (link) => {
    const session = join(home.path, claudeFile(CLAUDE_ID));
    const before = readFileSync(session, "utf8");
    if (link !== "") symlinkSync(session, join(home.path, link));
    const refused = await exported(CLAUDE_ID, "--output", link === "" ? session : link, "--force");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("belongs to an agent")]);
    expect(readFileSync(session, "utf8")).toBe(before);
    for (const folder of [".codex/new.md", ".continuo/new.md", ".local/share/opencode/new.md"]) {
      mkdirSync(dirname(join(home.path, folder)), { recursive: true });
      expect((await exported(CLAUDE_ID, "--output", folder)).code).toBe(2);
      expect(existsSync(join(home.path, folder))).toBe(false);
    }
  },
);

test("a device is written through and stays a device", async () => {
  expect((await exported(CLAUDE_ID, "--output", "/dev/null")).code).toBe(0);
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

describe("secrets and sub-agents", () => {
  const SECRET = `ghp_${"a1B2c3".repeat(6)}`;
  const id = "4bf3e000-0000-4000-8000-00000000000e";
  const child = "abc12345";

  beforeEach(() => {
    const call = { type: "tool_use", id: "toolu_1", name: "Task", input: { prompt: `use ${SECRET}` } };
    home.write(
      claudeFile(id),
      claudeText(id, [
        { uuid: "u1", parent: null, role: "user", content: `the key is ${SECRET}`, time: "10:00:00" },
        { uuid: "u2", parent: "u1", role: "assistant", content: [call], time: "10:00:01" },
      ]),
    );
    const folder = claudeFile(id).replace(/\.jsonl$/u, "/subagents");
    const lines = claudeText(id, [
      { uuid: "s1", parent: null, role: "user", content: "look", time: "10:00:02" },
      {
        uuid: "s2",
        parent: "s1",
        role: "assistant",
        content: [{ type: "text", text: `found ${SECRET}` }],
        time: "10:00:03",
      },
    ]);
    const marked = lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.stringify({ ...JSON.parse(line), agentId: child, isSidechain: true }));
    home.write(`${folder}/agent-${child}.jsonl`, `${marked.join("\n")}\n`);
    home.write(
      `${folder}/agent-${child}.meta.json`,
      JSON.stringify({ agentType: "finder", toolUseId: "toolu_1" }),
    );
  });

  test("the conversation of a sub-agent is in the page, unless calls are left out", async () => {
    const { stdout } = await exported(id, "--format", "html");
    const [, after] = stdout.split('<details class="subagent">');
    expect(after).toMatch(
      /^<summary>Sub-agent <bdi>finder<\/bdi><\/summary>\n<article class="person">\n<header><b>Task<\/b>/u,
    );
    expect(after).toContain(`found ${SECRET}`);
    expect((await exported(id, "--format", "html", "--tools", "none")).stdout).not.toContain(
      'class="subagent"',
    );
  });

  test.each([
    ["md", 2],
    ["html", 3],
    ["json", 2],
    ["jsonl", 2],
  ])(
    "--mask-secrets in %s: no part of the secret is left, and the masked secrets are counted",
    async (format, count) => {
      const { stdout, stderr } = await exported(id, "--format", format, "--mask-secrets");
      expect(stdout).not.toContain("a1B2c3");
      expect(stdout).toContain("the key is [masked: GitHub token]");
      expect(stderr).toBe(`Masked ${count} secrets: ${count} × GitHub token. Secrets of other forms stay.\n`);
      expect((await exported(id, "--format", format)).stdout).toContain(SECRET);
    },
  );

  test("--mask-secrets reports if it found no secret, and is refused with --bundle", async () => {
    expect((await exported(CLAUDE_ID, "--mask-secrets")).stderr).toBe(
      "No secret of a known form was found.\n",
    );
    expect((await exported(id, "--mask-secrets", "--bundle", "b")).code).toBe(2);
  });
});

test("training data is one line with the tools, always with its secrets masked", async () => {
  const file = join(home.path, claudeFile(CLAUDE_ID));
  const secret = `ghp_${"a1B2".repeat(9)}`;
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("Fix the build", `Fix the build with ${secret}`));
  const { stdout, stderr, code } = await exported(CLAUDE_ID, "--format", "openai");
  expect(code).toBe(0);
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  expect(stdout).not.toContain(secret);
  expect(stderr).toContain("GitHub token");
  const { messages } = JSON.parse(stdout) as { messages: { role: string; tool_calls?: unknown[] }[] };
  expect(messages[0]?.role).toBe("user");
  const lines = await Promise.all(
    ["anthropic", "sharegpt"].map(async (form) => (await exported(CLAUDE_ID, "--format", form)).stdout),
  );
  expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  const anthropic = JSON.parse(lines[0] ?? "");
  const roles = (anthropic.messages as { role: string }[]).map(({ role }) => role);
  expect(roles).toEqual(roles.map((_, at) => (at % 2 === 0 ? "user" : "assistant")));
  const { conversations } = JSON.parse(lines[1] ?? "");
  expect(conversations[0]).toMatchObject({ from: "human", value: expect.stringContaining("Fix the build") });
  expect((await exported(CLAUDE_ID, "--format", "openai", "--all")).code).toBe(2);
});
