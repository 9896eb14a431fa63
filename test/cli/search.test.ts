/** `search`, `open` and `index` on a small home. */

import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, test } from "vitest";
import {
  CLAUDE_ID,
  CODEX_ID,
  claudeFile,
  claudeText,
  cleanEnv,
  createHome,
  HOSTILE_ID,
  type Home,
  MAIN,
  writeSessions,
} from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
});

test("a search finds a turn; `open` shows it by its number, and the link in --json opens it by its session and message", async () => {
  const found = await runHere(home, ["search", "build", "-nowhere"]);
  expect(found).toMatchObject({ code: 0, stderr: "" });
  expect(found.stdout).toContain("  1 Fix the build\n");
  expect(found.stdout).toContain("you: Fix the build");
  const opened = await runHere(home, ["open", "1"]);
  expect(opened.stdout).toContain("Fix the build");
  expect(opened.stdout).not.toContain("All well.");
  const json = JSON.parse((await runHere(home, ["search", "--json", "role:assistant", "well"])).stdout);
  expect(json).toMatchObject({
    total: 1,
    notIndexed: 0,
    results: [
      { number: 1, session: { sessionId: CLAUDE_ID, cwd: "/home/ann/app" }, turn: { messageId: "u2" } },
    ],
  });
  expect(json.results[0].link).toBe(`continuo open ${join(home.path, claudeFile(CLAUDE_ID))} --message u2`);
  const linked = await runHere(home, json.results[0].link.split(" ").slice(1));
  expect(linked.stdout).toContain("All well.");
  expect((await runHere(home, ["open", "9"])).code).toBe(3);
});

test("the numbers of results belong to a terminal: a search in another terminal does not change them", async () => {
  await runHere(home, ["search", "build"]);
  // Another shell counts as another terminal. The second command keeps the shell from replacing itself by the first one.
  const other = [MAIN, "search", "--json", "hello"];
  const { stdout } = await promisify(execFile)("sh", ["-c", `"$@"; true`, "sh", process.execPath, ...other], {
    cwd: home.path,
    env: cleanEnv(home.path),
  });
  expect(JSON.parse(stdout).results).toMatchObject([{ number: 1, session: { sessionId: CODEX_ID } }]);
  expect((await runHere(home, ["open", "1"])).stdout).toContain("Fix the build");
});

test("shortened ids of results with the same beginning are long enough to name one session each", async () => {
  const ids = ["aaaa", "bbbb", "cccc"].map((four) => `019a1b2c-${four}-7000-8000-000000000001`);
  for (const id of ids) {
    const line = {
      uuid: "u1",
      parent: null,
      role: "user",
      content: id.includes("cccc") ? "Pour the milk" : "Steep the tea",
      time: "10:00:00",
    } as const;
    home.write(claudeFile(id), claudeText(id, [line]));
  }
  const { stdout } = await runHere(home, ["search", "steep"]);
  const shown = [...stdout.matchAll(/claude · (\S+) ·/gu)].map(([, id = ""]) => id);
  expect(shown.toSorted()).toEqual(["019a1b2c-a", "019a1b2c-b"]);
  for (const id of shown) expect((await runHere(home, ["info", id])).code).toBe(0);
  // The other sessions are not among the results, but `info 019a1b2c` could mean any of them.
  for (let round = 0; round < 2; round++) {
    expect((await runHere(home, ["search", "milk"])).stdout).toContain("claude · 019a1b2c-c ·");
  }
});

test("text of a session reaches the terminal only as visible characters", async () => {
  const { stdout } = await runHere(home, ["search", "日本", "png"]);
  expect(stdout).toBe("Nothing found.\n");
  const hostile = await runHere(home, ["search", "日本"]);
  expect(hostile.stdout).toContain(HOSTILE_ID.slice(0, 8));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
  expect(hostile.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/u);
});

test("on a machine without sessions a search says that there is nothing to search", async () => {
  using empty = createHome();
  const { stdout } = await runHere(empty, ["search", "build"]);
  expect(stdout).toBe("Nothing found: this machine has no sessions to search.\n");
});

test("the index is private, can be cleared, and leaves out what the configuration excludes", async () => {
  const path = join(home.path, ".continuo/index.db");
  const updated = JSON.parse((await runHere(home, ["index", "update", "--json"])).stdout);
  expect(updated).toMatchObject({ path, state: "ready", sessions: 3, indexed: 3, unreadable: [] });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  home.write(".continuo/continuo.yaml", "index: { exclude: [/home/ann/tool] }");
  const json = JSON.parse((await runHere(home, ["search", "--json", "hello"])).stdout);
  expect(json.results).toEqual([]);
  home.write(".continuo/continuo.yaml", "index: { exclude: [] }");
  const again = JSON.parse((await runHere(home, ["search", "--json", "hello"])).stdout);
  expect(again.results).toMatchObject([{ session: { sessionId: CODEX_ID } }]);
  expect((await runHere(home, ["index", "clear"])).stdout).toContain("not made yet");
  expect(existsSync(`${path}-journal`)).toBe(false);
});
