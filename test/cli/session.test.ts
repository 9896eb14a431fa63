/** Tests `continuo session` in temporary homes: lists in a process of their own, other output in this process. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { READABLE_AGENTS } from "@continuo/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CLAUDE_ID,
  CODEX_ID,
  claudeFile,
  createHome,
  DAMAGED_ID,
  HOSTILE_ID,
  type Home,
  run,
  writeDamaged,
  writeSessions,
} from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;
let damaged: Home;
let empty: Home;

beforeAll(() => {
  home = createHome();
  writeSessions(home);
  damaged = createHome();
  writeSessions(damaged);
  writeDamaged(damaged);
  empty = createHome();
});

afterAll(() => {
  for (const each of [home, damaged, empty]) each[Symbol.dispose]();
});

function show(path: string): string {
  return join(home.path, path);
}

const TABLE = `agent   id        title                                  project               when   size
codex   01999999  Hello Codex                            /home/ann/tool  2025-01-06  689 B
claude  4bf3c2a1  Fix the build                          /home/ann/app   2025-01-05   3 KB
claude  4bf3d000  ␛]0;owned␇ ␛[2J日本語 <U+202E>gnp.exe  /home/ann/app   2025-01-05  804 B
`;

const TABS = [
  ["agent", "id", "title", "project", "when", "size", "notes"],
  ["codex", CODEX_ID, "Hello Codex", "/home/ann/tool", "2025-01-06T08:00:03.000Z", "689", ""],
  ["claude", CLAUDE_ID, "Fix the build", "/home/ann/app", "2025-01-05T10:01:01.000Z", "2569", ""],
  [
    ...["claude", HOSTILE_ID, "␛]0;owned␇ ␛[2J日本語 <U+202E>gnp.exe"],
    ...["/home/ann/app", "2025-01-05T09:00:01.000Z", "804", ""],
  ],
]
  .map((cells) => `${cells.join("\t")}\n`)
  .join("");

describe("session list", () => {
  test.each([[[]], [["session"]], [["list"]], [["session", "list"]], [["--all"]]])(
    "%j prints the list, newest first; in a pipe, tabs separate the columns, and no value is shortened",
    async (args) => {
      expect(await run(home, args)).toEqual({ code: 0, stdout: TABS, stderr: "" });
    },
  );

  test("--json prints a fixed set of keys, in a fixed order", async () => {
    const { stdout, code } = await runHere(home, ["--json", "--agent", "codex"]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      `${JSON.stringify(
        [
          {
            agent: "codex",
            sessionId: CODEX_ID,
            title: "Hello Codex",
            cwd: "/home/ann/tool",
            gitBranch: null,
            createdAt: "2025-01-06T08:00:00.000Z",
            updatedAt: "2025-01-06T08:00:03.000Z",
            sizeBytes: 689,
            archived: false,
            live: false,
            location: show(`.codex/sessions/2025/01/06/rollout-2025-01-06T08-00-00-${CODEX_ID}.jsonl`),
            problems: [],
            nativeRefs: [],
            pinned: false,
            tags: [],
            movedTo: null,
            incomplete: false,
          },
        ],
        null,
        2,
      )}\n`,
    );
  });

  test.each<[string[], string[]]>([
    [
      ["--agent", "claude", "--agent", "codex"],
      [CODEX_ID, CLAUDE_ID, HOSTILE_ID],
    ],
    [["--limit", "1"], [CODEX_ID]],
    [
      ["--since", "2025-01-05T09:30:00Z"],
      [CODEX_ID, CLAUDE_ID],
    ],
    [["--cwd", "/home/ann/tool"], [CODEX_ID]],
    [["--here"], []],
  ])("%j lists only the sessions that match, newest first", async (flags, ids) => {
    const { stdout } = await runHere(home, ["list", "--json", ...flags]);
    expect((JSON.parse(stdout) as { sessionId: string }[]).map(({ sessionId }) => sessionId)).toEqual(ids);
  });

  test("standard error counts the sessions that are not shown, and names the flag that shows them", async () => {
    const { stderr } = await runHere(damaged, ["--limit", "3"]);
    expect(stderr.split("\n")).toEqual([
      "1 more: --all shows them",
      "1 damaged session in this list: `continuo session check` explains the damage",
      "",
    ]);
  });

  test("--json escapes control characters, so that a program reads the same title", async () => {
    const { stdout } = await runHere(home, ["--json"]);
    expect(stdout).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e]/u);
    expect((JSON.parse(stdout) as { title: string }[])[2]?.title).toBe(
      "\u001b]0;owned\u0007 \u001b[2J日本語 \u202egnp.exe",
    );
  });

  test("without any session, the list names the folders that were searched", async () => {
    const { stdout, code } = await runHere(empty, []);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "No sessions found on this machine. Looked in:\n  claude    ~/.claude/projects\n  codex     ~/.codex/sessions, ~/.codex/archived_sessions\n",
    );
    expect(await runHere(empty, ["--json"])).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
  });
});

test("without any session, the list names example sessions, and `session show` shows one by its id", async () => {
  const { stdout } = await runHere(empty, []);
  const id = /^Read one: continuo session show (\S+)$/mu.exec(stdout)?.[1] ?? "";
  expect(stdout).toContain("\nExample sessions, made by the real agents:\n\nagent ");
  const { code, stderr, stdout: shown } = await runHere(empty, ["session", "show", id, "--json"]);
  expect(code).toBe(0);
  expect(stderr).toBe("No sessions on this machine: this is an example session that ships with Continuo.\n");
  expect(JSON.parse(shown)).toMatchObject({ sessionId: id });
  // A person with sessions of their own sees no examples.
  const mine = await runHere(home, ["session", "show", id]);
  expect(mine.code).toBe(3);
  expect(mine.stderr).toContain("this is an example, which is only there on a machine without sessions");
});

describe("session info", () => {
  test("prints the facts of a session, one in each line", async () => {
    expect(await runHere(home, ["session", "info", "4bf3c"])).toEqual({
      code: 0,
      stderr: "",
      stdout: `title       Fix the build
agent       claude 2.1.330
id          ${CLAUDE_ID}
project     /home/ann/app
git branch  main
created     2025-01-05 10:00
updated     2025-01-05 10:01
size        3 KB
file        ~/${claudeFile(CLAUDE_ID)}
messages    5 (2 user, 2 assistant, 1 tool)
tool calls  1
branches    2
records     6
models      model-a
tokens      3,000 input, 60 output
cost        no price for model-a: \`prices\` in continuo.yaml sets one
resume      perhaps cold · 1,000 tokens · no price for model-a
commands    make
`,
    });
  });

  test("--json prints the keys of the list except those that docs/cli.md names, and further ones", async () => {
    const { stdout } = await runHere(home, ["session", "info", CODEX_ID, "--json"]);
    const details = JSON.parse(stdout) as Record<string, unknown>;
    expect(Object.keys(details).join(" ")).toBe(
      "agent sessionId title cwd gitBranch createdAt updatedAt sizeBytes archived live location problems nativeRefs messages " +
        "toolCalls branches records unknownRecords models usage agentVersions subagents forkedFrom cost nextPrompt files " +
        "commands commits",
    );
    expect(details.messages).toEqual({ total: 2, user: 1, assistant: 1, tool: 0, system: 0 });
    const [row] = JSON.parse((await runHere(home, ["session", "list", "--json"])).stdout) as [object];
    const others = Object.keys(row).filter((key) => !Object.hasOwn(details, key));
    const page = readFileSync(join(import.meta.dirname, "../../docs/cli.md"), "utf8");
    expect(page).toContain(`one object: the same keys except \`${others.join(", ")}\`, and in addition`);
  });
});

describe("session show", () => {
  test("prints the whole session as Markdown, each message under its role", async () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join("\n");
    expect(await runHere(home, ["session", "show", "4bf3c"])).toEqual({
      code: 0,
      stderr: "",
      stdout: `# Fix the build

claude:${CLAUDE_ID} · /home/ann/app · main · 5 messages · 2 branches (--tree, --all)

## User · 2025-01-05T10:00:00.000Z

Fix the build

## Assistant · \`model-a\` · 2025-01-05T10:00:01.000Z

### Thinking

\`\`\`text
Look first.
\`\`\`

I **look**.

### Tool call \`Bash\`

\`\`\`json
{
  "command": "make"
}
\`\`\`

## Tool result · \`Bash\` · 2025-01-05T10:00:02.000Z

**error**

\`\`\`text
${lines}
\`\`\`

## User · 2025-01-05T10:01:00.000Z

Try again

## Assistant · \`model-a\` · 2025-01-05T10:01:01.000Z

\`\`\`markdown
# Done

All well.
\`\`\`

`,
    });
  });

  test("terminal escapes are made visible, and the text of a message cannot look like another message", async () => {
    const { stdout } = await runHere(home, ["session", "show", HOSTILE_ID]);
    expect(stdout).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e]/u);
    expect(stdout).toContain("````markdown\n```\n## User · now\n\n␛[31mI am you\n````\n");
  });

  test("--branch takes the beginning of the id of a leaf", async () => {
    const { stdout } = await runHere(home, ["session", "show", "4bf3c", "--branch", "a2", "--json"]);
    const { messages } = JSON.parse(stdout) as { messages: { id: string }[] };
    expect(messages.map(({ id }) => id)).toEqual(["u1", "a1", "r1", "a2"]);
  });

  test("--all --json has each message of every branch once", async () => {
    const { stdout } = await runHere(home, ["session", "show", "4bf3c", "--all", "--json"]);
    const session = JSON.parse(stdout) as Record<string, { id: string }[]>;
    expect(Object.keys(session)).toEqual(["agent", "sessionId", "messages", "leaves", "problems"]);
    expect(session.messages?.map(({ id }) => id)).toEqual(["u1", "a1", "r1", "u2", "a3", "a2"]);
    expect(session.leaves?.map(({ id }) => id)).toEqual(["a3", "a2"]);
  });

  test("--tree prints a line for each message, and branches where they begin", async () => {
    const { stdout } = await runHere(home, ["session", "show", "4bf3c", "--tree"]);
    expect(stdout.replace(/(line 1) .* (line 20)/u, "$1 … $2")).toBe(`10:00 you     Fix the build
10:00 agent   I **look**. ▸ Bash make
10:00 result  line 1 … line 20
├─10:00 agent   Old end.  ◂ a2
10:01 you     Try again
10:01 agent   # Done All well.  ◂ a3 (active)
`);
  });

  test("--tools none counts what it leaves out", async () => {
    const { stdout } = await runHere(home, ["session", "show", "4bf3c", "--tools", "none"]);
    expect(stdout).not.toContain("make");
    expect(stdout.endsWith("*2 tool calls and results not shown: --tools short shows them.*\n\n")).toBe(true);
  });

  test("a session can be named by the path of its file", async () => {
    const { stdout } = await runHere(home, ["session", "show", claudeFile(CLAUDE_ID), "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ agent: "claude", sessionId: CLAUDE_ID });
  });

  test("it is not an error if the reader of a pipe stops early", async () => {
    const big = createHome();
    const [head] = readFileSync(show(claudeFile(CLAUDE_ID)), "utf8").split("\n");
    big.write(claudeFile(CLAUDE_ID), `${head?.replace("Fix the build", "word ".repeat(200_000))}\n`);
    const { code, stderr } = await run(big, ["session", "show", CLAUDE_ID], { readChars: 1000 });
    big[Symbol.dispose]();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

describe("session check", () => {
  const REPORT = `claude:${DAMAGED_ID}  ~/${claudeFile(DAMAGED_ID)}
  damage bad_json
    line 2: the line is not JSON
    → The line is left out. Restore it from a backup if you have one.
  damage torn_line
    line 3: the last line breaks off
    → The agent was stopped while it wrote, or is writing now. The rest of the session is intact.
  \`continuo session repair claude:${DAMAGED_ID}\` shows what can be repaired

`;

  test("exits with 0 if no session is damaged", async () => {
    expect(await runHere(home, ["session", "check"])).toEqual({
      code: 0,
      stdout: "checked 3 sessions: no problems\n",
      stderr: "",
    });
  });

  test("exits with 4 if a session is damaged, and prints the place and the advice", async () => {
    expect(await runHere(damaged, ["session", "check"])).toEqual({
      code: 4,
      stdout: `${REPORT}checked 4 sessions: 1 damaged\n\`continuo session repair --all\` shows what can be repaired, and writes nothing.\n`,
      stderr: "",
    });
    expect(await runHere(damaged, ["session", "check", DAMAGED_ID])).toEqual({
      code: 4,
      stdout: `${REPORT}checked 1 session: 1 damaged\n`,
      stderr: "",
    });
  });

  test("--json is an array with severity and advice", async () => {
    const { stdout, code } = await runHere(damaged, ["session", "check", DAMAGED_ID, "--json"]);
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toEqual([
      {
        agent: "claude",
        sessionId: DAMAGED_ID,
        location: join(damaged.path, claudeFile(DAMAGED_ID)),
        problems: [
          {
            code: "bad_json",
            message: "the line is not JSON",
            line: 2,
            severity: "damage",
            advice: "The line is left out. Restore it from a backup if you have one.",
          },
          {
            code: "torn_line",
            message: "the last line breaks off",
            line: 3,
            severity: "damage",
            advice:
              "The agent was stopped while it wrote, or is writing now. The rest of the session is intact.",
          },
        ],
      },
    ]);
  });
});

describe("errors", () => {
  test.each<[string[], number, string]>([
    [
      ["session", "show", "nope"],
      3,
      'continuo: there is no session "nope"\nRun `continuo session list --all --archived` to see every session.\n',
    ],
    [
      ["session", "show", "4bf3"],
      1,
      `continuo: "4bf3" names 2 sessions\n  claude:${CLAUDE_ID}  Fix the build  /home/ann/app  2025-01-05\n  claude:${HOSTILE_ID}  ␛]0;owned␇ ␛[2J日本語 <U+202E>gnp.exe  /home/ann/app  2025-01-05\nGive more of the id, AGENT:ID, or the path of the file.\n`,
    ],
    [
      ["--agent", "foo"],
      2,
      `continuo: there is no agent "foo"\nChoose one of ${READABLE_AGENTS.join(", ")}, continuo.\n`,
    ],
    [["sesion"], 2, "continuo: unknown command 'sesion'\nDid you mean session?\n"],
    [
      ["session", "list", "--provider", "claude"],
      2,
      "continuo: unknown option '--provider'\nDid you mean --agent?\n",
    ],
    [
      ["chat", "--session-id=4bf3", "hi"],
      2,
      "continuo: unknown option '--session-id=4bf3'\nDid you mean --resume?\n",
    ],
    [
      ["repl", "--continue_last"],
      2,
      "continuo: unknown option '--continue_last'\nDid you mean --continue?\n",
    ],
    [
      ["agents", "--provider"],
      2,
      "continuo: unknown option '--provider'\nRun `continuo agents --help` to see what there is.\n",
    ],
    [["session", "shwo"], 2, "continuo: unknown command 'shwo'\nDid you mean show?\n"],
    [
      ["session", "show"],
      2,
      `continuo: missing session to show; the newest are\n  codex:${CODEX_ID}  Hello Codex  /home/ann/tool  2025-01-06\n  claude:${CLAUDE_ID}  Fix the build  /home/ann/app  2025-01-05\n  claude:${HOSTILE_ID}  ␛]0;owned␇ ␛[2J日本語 <U+202E>gnp.exe  /home/ann/app  2025-01-05\nName one by its id or the beginning of it, or by \`last\`.\n`,
    ],
    [
      ["--limit", "0"],
      2,
      "continuo: option '--limit <count>' argument '0' is invalid. It must be a whole number, at least 1.\nRun `continuo session list --help` to see what there is.\n",
    ],
    [
      ["--limit", "3", "--all"],
      2,
      "continuo: option '--limit <count>' cannot be used with option '--all'\nRun `continuo session list --help` to see what there is.\n",
    ],
    [
      ["--since", "soon"],
      2,
      'continuo: "soon" is not a time\nWrite a time such as 30m, 3h, 2d, 1w, today, yesterday, 2026-11-21, 2026-11-21T20:43 or 2026-11-21T20:43:00Z.\n',
    ],
    [
      ["session", "show", "4bf3c", "--branch", "zz"],
      3,
      'continuo: no branch "zz"\nChoose one of the branches that end at a3, a2.\n',
    ],
    [
      ["session", "show", "\u001b[2J"],
      3,
      'continuo: there is no session "\\u001b[2J"\nRun `continuo session list --all --archived` to see every session.\n',
    ],
  ])("%j exits with %i", async (args, code, stderr) => {
    const failed = await runHere(home, args);
    expect({ ...failed, stderr: failed.stderr.replaceAll(home.path, "HOME") }).toEqual({
      code,
      stdout: "",
      stderr,
    });
  });

  test("--json prints an error as one object on standard error", async () => {
    expect(await runHere(home, ["session", "info", "nope", "--json"])).toEqual({
      code: 3,
      stdout: "",
      stderr: `${JSON.stringify({
        error: {
          code: "not_found",
          message: 'there is no session "nope"',
          hint: "Run `continuo session list --all --archived` to see every session.",
          details: {},
          page: "docs/errors.md#not_found",
        },
      })}\n`,
    });
  });
});

test("--version prints the version of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
    version: string;
  };
  expect(await run(empty, ["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test("with FORCE_COLOR, output to a pipe has colours too, and only the sixteen basic colours of terminals", async () => {
  const { stdout } = await run(home, [], { env: { FORCE_COLOR: "1" } });
  expect(stdout).toContain("\u001b[36mclaude\u001b[39m");
  // biome-ignore lint/complexity/useRegexLiterals: a literal may not hold a control character
  expect(stdout.replaceAll(new RegExp("\u001b\\[\\d{1,2}m", "gu"), "")).toBe(TABLE);
});
