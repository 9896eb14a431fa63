/**
 * Pipes in place of agents' files: opening one would wait for a writer that never comes, and no signal could end the
 * wait.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";

let home: string;
beforeEach(() => {
  home = scratchFolder("pipes");
});

const ID = "11111111-1111-4111-8111-111111111111";
const PIPES = [
  `.claude/projects/-x/${ID}.jsonl`,
  ".claude/sessions/1.json",
  `.codex/sessions/2026/11/21/rollout-2026-11-21T22-58-48-${ID}.jsonl`,
  ".codex/session_index.jsonl",
  `.pi/agent/sessions/--x--/2026-11-21T23-05-32-576Z_${ID}.jsonl`,
  ".pi/agent/settings.json",
  ".gemini/tmp/project/chats/session-2026-11-21T23-39-11111111.jsonl",
  ".gemini/tmp/project/.project_root",
  ".gemini/projects.json",
  ".local/share/opencode/opencode.db",
];

test("a pipe in the place of any file of an agent is not waited for", () => {
  for (const pipe of PIPES) mkdirSync(dirname(join(home, pipe)), { recursive: true });
  execFileSync(
    "mkfifo",
    PIPES.map((pipe) => join(home, pipe)),
  );
  const library = new URL("../../packages/agents/src/index.ts", import.meta.url).href;
  const list = `
    import { listNativeSessions } from ${JSON.stringify(library)};
    const sessions = await listNativeSessions({ places: { home: ${JSON.stringify(home)}, env: {} } });
    console.log(sessions.map(({ agent }) => agent).sort().join(" "));`;
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", list],
    // A process that waits for a pipe does not end on SIGTERM.
    { timeout: 60_000, killSignal: "SIGKILL", encoding: "utf8" },
  );
  expect({ stdout, status, stderr }).toEqual({ stdout: "claude gemini pi\n", status: 0, stderr: "" });
});
