/** Sessions as agents leave them: what solved an error, and how a command was used. */

import { describe, expect, test } from "vitest";
import type { Block, Message, ToolCallBlock, ToolResultBlock } from "../../model/index.ts";
import { commandKey, commandParts } from "./command-parts.ts";
import { commandUsesIn, createRepairFold, errorPattern, type Repair, sameErrorIn } from "./index.ts";

const MISSING = `npm error code ERESOLVE
npm error ERESOLVE unable to resolve dependency tree
npm error Found: react@19.1.0`;
const TSC =
  "src/brew.ts(14,7): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.";

describe("the simple commands of a line", () => {
  test.each([
    ["cd app && npm test 2>&1 | tail -20", ["cd app", "npm test 2>&1", "tail -20"]],
    [`bash -lc 'npm run build; echo "a && b"'`, ["npm run build", 'echo "a && b"']],
    ["cat > a.ts <<'EOF'\nrm -rf /; x\nEOF\nnode a.ts", ["cat > a.ts", "node a.ts"]],
    ["git commit -m 'a; b | c'\\\n  --no-verify", ["git commit -m 'a; b | c' --no-verify"]],
    ["# only a comment\nmake   all", ["make all"]],
    ['echo "a << b"\nnpm test', ['echo "a << b"', "npm test"]],
    [
      "git commit -m \"$(cat <<'EOF'\nSubject; body\nEOF\n)\" && git push",
      ['git commit -m "$(cat )"', "git push"],
    ],
  ])("%j", (command, parts) => {
    expect(commandParts(command)).toEqual(parts);
  });

  test.each([
    ["NODE_ENV=test npm run build -- --watch", "npm run build"],
    ["sudo /usr/bin/docker compose up -d", "docker compose up"],
    ["./node_modules/.bin/tsc --noEmit -p .", "tsc ."],
    ["python3 -m pytest -k brew", "python3 -m pytest"],
    ["cargo test --all", "cargo test"],
    ["tail -5 log.txt", null],
    ["git diff HEAD", null],
  ])("the key of %j is %j", (command, key) => {
    expect(commandKey(command)).toBe(key);
  });
});

describe("the same error", () => {
  test.each([
    [
      "at another place",
      TSC,
      "lib/tea.ts(3,1): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
    ],
    [
      "in colours",
      TSC,
      "\u001b[31msrc/a.ts:1:2 - error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.\u001b[0m",
    ],
    [
      "on another machine",
      "Error: ENOENT: no such file or directory, open '/home/ann/app/.env'",
      "Error: ENOENT: no such file or directory, open '/Users/bo/web/.env'",
    ],
    [
      "with another number",
      "Error: listen EADDRINUSE: address already in use :::3000",
      "Error: listen EADDRINUSE: address already in use :::8080",
    ],
    [
      "after a stack",
      `Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect (node:net:1555:16)`,
      "boot\nError: connect ECONNREFUSED 10.0.0.2:5432\n  at x",
    ],
    ["in Japanese", "エラー: ファイルが見つかりません", "エラー: ファイルが見つかりません (brew.ts)"],
  ])("%s", (_, reported, printed) => {
    const pattern = errorPattern(reported);
    expect(pattern && sameErrorIn(printed, pattern)?.similarity).toBeGreaterThanOrEqual(0.6);
  });

  test.each([
    ["another code", TSC, "src/a.ts(1,1): error TS2304: Cannot find name 'kettle'."],
    ["another code with the same words", TSC, TSC.replace("TS2345", "TS2322")],
    ["a success", MISSING, "added 12 packages in 3s"],
    ["another module", "Error: Cannot find module 'kettle'", "Tests: 3 passed"],
  ])("is not %s", (_, reported, printed) => {
    const pattern = errorPattern(reported);
    expect(pattern && sameErrorIn(printed, pattern)).toBeNull();
  });

  test("is none if no word is left", () => {
    expect(errorPattern("")).toBeNull();
    expect(errorPattern("   \n 42 / 17 \n")).toBeNull();
  });
});

let ids = 0;
const said = (role: "user" | "assistant", text: string): Message => message(role, [{ type: "text", text }]);

function message(role: Message["role"], content: readonly Block[]): Message {
  ids += 1;
  return { id: `m${ids}`, role, content, ...(role === "user" && { origin: "person" as const }) } as Message;
}

function call(name: string, args: ToolCallBlock["args"], output: string, code = 0): Message[] {
  const id = `c${ids}`;
  const result: ToolResultBlock = {
    type: "tool_result",
    toolCallId: id,
    content: [{ type: "text", text: output }],
    isError: code !== 0,
    details: { exit_code: code },
  } as ToolResultBlock;
  return [
    message("assistant", [{ type: "tool_call", id, name, args } as ToolCallBlock]),
    message("tool", [result]),
  ];
}

const run = (command: string, output: string, code = 0): Message[] => call("Bash", { command }, output, code);
const edit = (path: string, before: string, after: string): Message[] =>
  call("Edit", { file_path: path, old_string: before, new_string: after }, "The file was changed.");

function repairsIn(error: string, ...turns: readonly (readonly Message[])[]): readonly Repair[] {
  const pattern = errorPattern(error);
  if (pattern === null) throw new Error("no pattern");
  const fold = createRepairFold(pattern);
  for (const [at, messages] of turns.entries())
    fold.add({ number: at + 1, at: `2026-01-01T0${at}:00:00Z`, messages });
  return fold.finish();
}

describe("what solved an error", () => {
  test("is what changed between the last call that showed it and the one that did not", () => {
    const [repair, ...others] = repairsIn(
      TSC,
      [
        said("user", "Make it compile"),
        ...run("npx tsc --noEmit", TSC, 2),
        ...edit("src/other.ts", "a", "b"),
      ],
      [
        said("user", "go on"),
        ...run("cd app && npx tsc --noEmit 2>&1 | tail -3", TSC, 2),
        ...edit("src/brew.ts", "brew(time)", "brew(Number(time))"),
        ...run("npm install --save-dev typescript", "added 1 package"),
        ...run("npx tsc --noEmit", ""),
        said("assistant", "The time came from a form as text, so it is turned into a number."),
      ],
    );
    expect(others).toEqual([]);
    expect(repair).toMatchObject({
      turn: 2,
      outcome: "solved",
      attempts: 1,
      failed: "cd app && npx tsc --noEmit 2>&1 | tail -3",
      edits: [{ path: "src/brew.ts" }],
      commands: ["npm install --save-dev typescript"],
      said: "The time came from a form as text, so it is turned into a number.",
    });
  });

  test("is not confirmed if nobody ran the command again, and is none if nothing was changed", () => {
    const failed = [said("user", "x"), ...run("npm test", MISSING, 1)];
    expect(repairsIn(MISSING, [...failed, ...edit("package.json", "18", "19")])).toMatchObject([
      { outcome: "not confirmed", edits: [{ path: "package.json" }] },
    ]);
    expect(repairsIn(MISSING, failed)).toMatchObject([{ outcome: "not solved", edits: [] }]);
  });

  test("is not that the command failed with another error, or did not end", () => {
    const other = run("npm test -- --bail", "npm error Missing script", 1);
    expect(repairsIn(MISSING, [said("user", "x"), ...run("npm test", MISSING, 1), ...other])).toMatchObject([
      { outcome: "not solved" },
    ]);
    const hanging = run("npm test", "Command timed out", 1).map((one) => withoutCode(one));
    const repairs = repairsIn(MISSING, [said("user", "x"), ...run("npm test", MISSING, 1), ...hanging]);
    expect(repairs).toMatchObject([{ outcome: "not solved" }]);
  });

  test("counts what a person reports, with the change that followed", () => {
    const repairs = repairsIn(
      TSC,
      [
        said("user", `I get this:\n${TSC}`),
        ...edit("src/brew.ts", "a", "b"),
        said("assistant", "It was a string."),
      ],
      [said("user", "Now add green tea"), ...edit("src/green.ts", "a", "b")],
    );
    expect(repairs).toMatchObject([
      {
        failed: null,
        turn: 1,
        outcome: "not confirmed",
        edits: [{ path: "src/brew.ts" }],
        said: "It was a string.",
      },
    ]);
  });

  test("is not found in the output of a file or a search that only shows the words", () => {
    expect(
      repairsIn(TSC, [said("user", "x"), ...run("cat notes.md | head", TSC), ...run("git log -1", TSC)]),
    ).toEqual([]);
    expect(repairsIn(TSC, [said("user", "x"), ...call("Read", { file_path: "notes.md" }, TSC)])).toEqual([]);
  });

  test("can be the error of a tool too", () => {
    const error = "String to replace not found in file.";
    const repairs = repairsIn(error, [
      said("user", "x"),
      ...call("Edit", { file_path: "a.ts", old_string: "a", new_string: "b" }, error, 1),
      ...call("Read", { file_path: "a.ts" }, "text"),
      ...call("Edit", { file_path: "a.ts", old_string: "A", new_string: "b" }, "The file was changed."),
    ]);
    expect(repairs).toMatchObject([{ failed: "Edit", outcome: "solved" }]);
  });

  test("leaves out what is changed many turns later, which has nothing to do with it", () => {
    const later = Array.from({ length: 8 }, (_, at) => [
      said("user", `next ${at}`),
      ...edit(`src/${at}.ts`, "a", "b"),
    ]);
    const [repair] = repairsIn(MISSING, [said("user", "x"), ...run("npm test", MISSING, 1)], ...later);
    expect(repair?.edits.map(({ path }) => path)).toEqual(["src/0.ts", "src/1.ts", "src/2.ts"]);
  });
});

function withoutCode(one: Message): Message {
  const content = one.content.map((block) => {
    if (block.type !== "tool_result") return block;
    const { details: _, ...rest } = block;
    return { ...rest, status: "timeout" } as unknown as Block;
  });
  return { ...one, content };
}

describe("how a command was used", () => {
  const used = (command: string, output: string, code: number, words: readonly string[]) => {
    const [asked, ended] = run(command, output, code);
    return commandUsesIn(asked?.content[0] as ToolCallBlock, ended?.content[0] as ToolResultBlock, words);
  };

  test.each([
    ["npm run bench -- viewer", ["npm", "run", "bench"], ["npm run bench -- viewer"]],
    ["cd app && FORCE=1 npm run bench | tail", ["npm", "run", "bench"], ["npm run bench"]],
    ["git -C ../app log --oneline", ["git", "log"], ["git -C ../app log --oneline"]],
    ["echo 'npm run bench'", ["npm", "run", "bench"], []],
    ["npm run benchmark", ["npm", "run", "bench"], []],
  ])("%j", (command, words, found) => {
    expect(used(command, "ok", 0, words).map((one) => one.command)).toEqual(found);
  });

  test("says how it ended, and what a failure printed", () => {
    expect(
      used("gh pr create --fil", "unknown flag: --fil\n\nUsage:  gh pr create [flags]", 1, ["gh"]),
    ).toEqual([{ command: "gh pr create --fil", outcome: "failed", error: "unknown flag: --fil" }]);
    expect(used("gh pr list", "#4", 0, ["gh"])).toMatchObject([{ outcome: "worked", error: null }]);
  });

  test("does not say which of several commands failed", () => {
    expect(used("npm ci && gh pr list", "npm error", 1, ["gh"])).toMatchObject([
      { outcome: "unknown", error: null },
    ]);
  });
});
