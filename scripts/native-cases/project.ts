/** The small project that the recorded conversations are about. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { PICTURE } from "../../test/agents/picture.ts";
import type { Sandbox } from "../../test/agents/sandbox.ts";
import type { Script } from "../../test/model-servers/index.ts";

const TIMER = `// Seconds that each tea steeps.
const TEAS = {
  green: { seconds: 120 },
  black: { seconds: 200 },
  white: { seconds: 300 },
};
`;

const TEST = `import { TEAS } from "./timer.js";
if (TEAS.black.seconds !== 240) throw new Error("black tea steeps four minutes");
`;

export const TEA_PROJECT: readonly (readonly [string, string | Uint8Array])[] = [
  ["timer.js", TIMER],
  ["timer.test.js", TEST],
  ["leaf.png", Buffer.from(PICTURE, "base64")],
];

export { PICTURE };

/** Replaces `PROJECT` and `ROOT` in a script by folders of the sandbox, which are known only later. */
export function inProject(script: Script, sandbox: Sandbox): Script {
  const text = JSON.stringify(script).replaceAll("PROJECT", sandbox.project).replaceAll("ROOT", sandbox.root);
  return JSON.parse(text) as Script;
}

/** Commits the project, and adds a worktree with a new branch; returns its folder. */
export function addWorktree(sandbox: Sandbox): string {
  const folder = join(sandbox.root, "green");
  const who = ["-c", "user.name=Dev", "-c", "user.email=dev@example.com"];
  const git = (...args: readonly string[]): void => {
    execFileSync("git", [...who, ...args], { cwd: sandbox.project, env: sandbox.environment({}) });
  };
  git("add", ".");
  git("commit", "-q", "-m", "The timer");
  git("worktree", "add", "-q", folder, "-b", "green");
  return folder;
}
