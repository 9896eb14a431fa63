/** The bare machine that `scripts/bare.sh` simulates. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

function bare(...args: readonly string[]): {
  readonly status: number | null;
  readonly lines: readonly string[];
} {
  const env = { ...process.env, CONTINUO_TEST: "x", XDG_CACHE_HOME: "/x" };
  const { status, stdout, stderr } = spawnSync("scripts/bare.sh", args, { cwd: ROOT, encoding: "utf8", env });
  return { status, lines: [...stdout.split("\n"), ...stderr.split("\n")].filter(Boolean) };
}

test("Node, npm, git and the base system can be run, and no other program, by its name or its path", () => {
  const script = `node --version && npm --version && git --version && awk 'BEGIN { print "awk" }' &&
    for name in tmux less zsh fish chromium strace ip; do command -v $name; ls /usr/bin/$name /usr/sbin/$name 2>/dev/null; done; exit 7`;
  const { status, lines } = bare("bash", "-c", script);
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^v\d+/u);
  expect(lines[3]).toBe("awk");
  expect(status).toBe(7);
});

test("the home is empty, no variable of the project or of agents is set, and the command is not changed", () => {
  const script = 'ls -A "$HOME"; echo "[$CONTINUO_TEST$XDG_CACHE_HOME]" "$1"; id -u';
  const { lines } = bare("sh", "-c", script, "sh", "two  words");
  expect(lines).toEqual(["[] two  words", String(process.getuid?.())]);
});

test("--user runs the command as a user who is not root and may write to the home", () => {
  const { status, lines } = bare("--user", "sh", "-c", 'touch "$HOME/file" && test -O "$HOME/file" && id -u');
  expect(status).toBe(0);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toBe("0");
});

test("--shell hides Node, npm and git as well", () => {
  const script =
    "awk 'BEGIN { print \"awk\" }'; for name in node npm npx git; do command -v $name; done; exit 7";
  expect(bare("--shell", "sh", "-c", script)).toEqual({ status: 7, lines: ["awk"] });
});

test("a call without a command is a usage error", () => {
  expect(bare()).toEqual({
    status: 2,
    lines: ["bare.sh: usage: scripts/bare.sh [--user] [--shell] COMMAND..."],
  });
});
