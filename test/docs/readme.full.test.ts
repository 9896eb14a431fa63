/** The terminal sessions that the README shows are what the command prints on a machine without sessions. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const HOME = mkdtempSync(join(tmpdir(), "continuo-readme-"));
afterAll(() => rmSync(HOME, { recursive: true }));

interface Shown {
  readonly command: string;
  readonly output: string;
}

function commandsIn(text: string): readonly Shown[] {
  const blocks = [...text.matchAll(/^```console\n([\s\S]*?)^```$/gmu)].map(([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /mu)
      .slice(1)
      .map((part) => {
        const end = part.indexOf("\n");
        return { command: part.slice(0, end), output: part.slice(end + 1) };
      }),
  );
}

/** `…` stands for anything; times depend on the day, and columns on the times. */
function toPattern(output: string): RegExp {
  const escaped = withoutTimes(output).replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&");
  return new RegExp(`^${escaped.replaceAll("…", "[^]*?")}$`, "u");
}

function withoutTimes(output: string): string {
  return output
    .replaceAll(/\d+(?:s|m|h|d|mo|y) ago|\b\d{4}-\d\d-\d\d\b(?!T)|just now/gu, "WHEN")
    .replaceAll(/ +/gu, " ");
}

const COMMANDS = commandsIn(readFileSync(join(ROOT, "README.md"), "utf8"));

test("README.md shows terminal sessions", () => {
  expect(COMMANDS.length).toBeGreaterThan(3);
});

// One after the other: a later command sees what an earlier one wrote.
test.each(COMMANDS)("`$command` prints what README.md shows", ({ command, output }) => {
  const [program, ...args] = command.split(" ");
  expect(program).toBe("continuo");
  const cwd = join(HOME, "project");
  mkdirSync(cwd, { recursive: true });
  const { stdout, status } = spawnSync(process.execPath, [join(ROOT, "bin/continuo.js"), ...args], {
    cwd,
    env: { HOME, PATH: "/usr/bin:/bin" },
    encoding: "utf8",
  });
  expect(status).toBe(0);
  expect(withoutTimes(stdout)).toMatch(toPattern(output));
});
