/**
 * The work of a list and a search that a running process answers, counted like the work of a command without such a
 * process.
 */

import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test, vi } from "vitest";
import { makeCorpus } from "../../bench/sessions/corpus.ts";
import type { WorkCounts } from "../counting/preload.ts";
import { countWork, expectWithin, MAIN, SETTLING_MS } from "../counting/work.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { compiledCode } from "../sizes/shared-programs.ts";

const SESSIONS = 60;

const scratch = scratchFolder("counts");
let home: string;
beforeAll(async () => {
  home = makeCorpus({ name: "counted", sessions: SESSIONS, totalBytes: 600_000 }, scratch);
  await sleep(SETTLING_MS);
  run(["index", "rebuild", "--json"]);
});

const run = (args: readonly string[]): WorkCounts =>
  countWork({ program: MAIN, args, home, continuoHome: join(scratch, "home") });

const COMMANDS = ["list --limit 20", "search --json middle", "search --json nothing0that0is0there"];

/**
 * The command looks for the socket, and checks its own build. `modules` counts the source modules that the entry needs,
 * before they are bundled. The one parsed text is the head of the answer.
 */
const ASKING: WorkCounts = {
  stats: 3,
  folders: 1,
  opened: 0,
  bytesRead: 0,
  bytesWritten: 0,
  parsedTexts: 1,
  parsedChars: 100,
  rows: 0,
  statements: 0,
  databaseRead: 0,
  databaseWritten: 0,
  modules: 140,
  youngCollections: 15,
};

test("a list and a search that a running process answers read no session and load few modules", async () => {
  const server = spawn(process.execPath, [MAIN, "mcp"], {
    env: { HOME: home, CONTINUO_HOME: join(scratch, "home"), CI: "1", ...compiledCode() },
    stdio: ["pipe", "ignore", "inherit"],
  });
  try {
    const sockets = join(scratch, "home/running");
    await vi.waitFor(() => expect(readdirSync(sockets)).toHaveLength(1), { timeout: 30_000, interval: 50 });
    for (const command of COMMANDS) {
      // Until the process has loaded its modules, commands do their work themselves.
      await vi.waitFor(() => expectWithin(run(command.split(" ")), ASKING), {
        timeout: 30_000,
        interval: 50,
      });
    }
  } finally {
    server.kill("SIGKILL");
  }
}, 60_000);
