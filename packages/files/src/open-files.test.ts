import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { ancestorsOf, programsIn } from "./open-files.ts";

let folder: string;
beforeEach(() => {
  folder = scratchFolder("holders");
});

const WAIT = "process.stdin.resume(); process.stdin.on('end', () => process.exit());";

test.runIf(platform === "linux")(
  "a program is known by its name, or by what an interpreter runs, and by no other argument",
  async () => {
    for (const name of ["claude.mjs", "other.mjs", "first.cjs"]) writeFileSync(join(folder, name), WAIT);
    const node = (...args: readonly string[]): readonly string[] => [process.execPath, ...args];
    const commands: Readonly<Record<string, readonly string[]>> = {
      "its script": node("claude.mjs"),
      "behind a flag with a word": node("--require", "./first.cjs", "--no-warnings", "claude.mjs"),
      "its own name": ["cat"],
      "an argument of a script": node("other.mjs", "claude"),
      "an argument of a program": ["tail", "-f", "claude.mjs"],
    };
    const children = Object.entries(commands).map(([what, [program = "", ...args]]) => {
      const argv0 = what === "its own name" ? { argv0: "/opt/claude" } : {};
      return [
        what,
        spawn(program, args, { cwd: folder, stdio: ["pipe", "ignore", "ignore"], ...argv0 }),
      ] as const;
    });
    try {
      await Promise.all(children.map(([, child]) => (child.pid === undefined ? once(child, "spawn") : null)));
      const found = programsIn(folder, "claude")?.map(({ pid }) => pid);
      expect(children.filter(([, { pid }]) => found?.includes(pid ?? 0)).map(([what]) => what)).toEqual([
        "its script",
        "behind a flag with a word",
        "its own name",
      ]);
      for (const [what, { pid = 0 }] of children) {
        expect([what, ancestorsOf(pid)?.[0]?.names.includes("claude")]).toEqual([what, found?.includes(pid)]);
      }
    } finally {
      for (const [, child] of children) child.kill("SIGKILL");
    }
  },
);
