/** `follow`: shows a session while it grows, in any agent's files and in the store, each message once. */

import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  CLAUDE_ID,
  CODEX_ID,
  claudeFile,
  claudeText,
  cleanEnv,
  createHome,
  type Home,
  MAIN,
  run,
  writeSessions,
} from "./home.ts";

let home: Home;
let child: ChildProcess | null = null;
beforeEach(() => {
  home = createHome();
});
afterEach(() => {
  child?.kill("SIGKILL");
  child = null;
  home[Symbol.dispose]();
});

interface Printed {
  /** Resolves with the position of the text when it was printed. */
  until(text: string): Promise<void>;
  all(): string;
}

function start(...args: readonly string[]): Printed {
  child = spawn(process.execPath, [MAIN, "follow", ...args], {
    cwd: home.path,
    env: cleanEnv(home.path),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
      for (const look of waiting) look();
    });
  }
  return {
    all: () => printed,
    async until(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => {
        if (printed.includes(text)) resolve();
      };
      waiting.add(look);
      look();
      await promise;
      waiting.delete(look);
    },
  };
}

/** Returns the numbers of all `said N.` in the output. */
function saidIn(text: string): string[] {
  return [...text.matchAll(/said (\d+)\./gu)].map(([, number = ""]) => number);
}

function turn(number: number, after: string | null): string {
  const time = `12:${String(number).padStart(2, "0")}:00`;
  return claudeText(CLAUDE_ID, [
    { uuid: `n${number}`, parent: after, role: "user", content: `said ${number}.`, time },
  ]);
}

test("each message is printed once, despite a torn line, a rewritten file, a truncation and a rename", async () => {
  const path = join(home.path, claudeFile(CLAUDE_ID));
  home.write(claudeFile(CLAUDE_ID), turn(1, null) + turn(2, "n1"));
  const printed = start(CLAUDE_ID.slice(0, 8), "--json", "--from-start");
  await printed.until("said 2.");
  const [half, rest] = [turn(3, "n2").slice(0, 40), turn(3, "n2").slice(40)];
  appendFileSync(path, half);
  appendFileSync(path, rest);
  await printed.until("said 3.");
  // The file is compacted: it has the same records, with a line before them.
  const summary = `{"type":"summary","summary":"s","leafUuid":"n3"}\n`;
  writeFileSync(`${path}.new`, summary + readFileSync(path, "utf8"));
  renameSync(`${path}.new`, path);
  appendFileSync(path, turn(4, "n3"));
  await printed.until("said 4.");
  truncateSync(path, summary.length + turn(1, null).length);
  appendFileSync(path, turn(5, "n1"));
  await printed.until("said 5.");
  writeFileSync(path, turn(1, null) + turn(5, "n1") + turn(6, "n5"));
  await printed.until("said 6.");
  expect(saidIn(printed.all())).toEqual(["1", "2", "3", "4", "5", "6"]);
  const lines = printed
    .all()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ type: "session", agent: "claude", sessionId: CLAUDE_ID });
  expect(lines.slice(1).every(({ type, update }) => type === "message" && update === "new")).toBe(true);
});

test("without an id it follows the newest session from its newest turn, and reports when the file is removed", async () => {
  writeSessions(home);
  const printed = start();
  await printed.until("Hello Codex");
  const path = join(home.path, `.codex/sessions/2025/01/06/rollout-2025-01-06T08-00-00-${CODEX_ID}.jsonl`);
  const item = {
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text: "said \u001b[2J9." }],
  };
  appendFileSync(
    path,
    `${JSON.stringify({ timestamp: "2025-01-06T08:00:04.000Z", type: "response_item", payload: item })}\n`,
  );
  await printed.until("9.");
  expect(printed.all()).not.toContain("\u001b[2J");
  rmSync(path);
  await printed.until("is gone");
});

test("a session of Continuo is followed, and an answer that its agent streams is printed in the same pieces", async () => {
  const id = "01999999-2222-7000-8000-000000000001";
  await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
  await store.createSession({ sessionId: id });
  const say = async (number: number): Promise<void> => {
    const data = { content: `said ${number}.` };
    await store.append(id, [{ id: `m${number}`, type: "message_sent", actor: { kind: "person" }, data }]);
  };
  await say(1);
  const printed = start(`continuo:${id}`, "--json");
  await printed.until("said 1.");
  await say(2);
  await printed.until("said 2.");
  await say(3);
  await printed.until("said 3.");
  expect(saidIn(printed.all())).toEqual(["1", "2", "3"]);
});

test("without a session, follow gives an error", async () => {
  expect(await run(home, ["follow"])).toMatchObject({ code: 3, stdout: "" });
});
