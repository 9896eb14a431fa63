/** The terminal sessions in README and the guides are the output of the command on a machine without sessions. */

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const GUIDES = readdirSync(join(ROOT, "docs/guides")).map((name) => `docs/guides/${name}`);

interface Shown {
  readonly command: string;
  readonly output: string;
}

function commandsIn(document: string): readonly Shown[] {
  const text = readFileSync(join(ROOT, document), "utf8");
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
    .replaceAll(/ +/gu, " ")
    .trimEnd();
}

const DOCUMENTS = ["README.md", ...GUIDES].map((document) => ({ document, shown: commandsIn(document) }));

test("README and a guide show terminal sessions", () => {
  expect(DOCUMENTS.filter(({ shown }) => shown.length > 2).length).toBeGreaterThan(1);
});

describe.each(DOCUMENTS.filter(({ shown }) => shown.length > 0))("$document", ({ document, shown }) => {
  const home = scratchFolder("documents");
  beforeAll(() => {
    mkdirSync(join(home, "project"));
  });

  // The commands run one after another, because a later one needs the result of an earlier one.
  test.each(shown)(`\`$command\` prints what ${document} shows`, ({ command, output }) => {
    const [program, ...args] = command.split(" ");
    expect(program).toBe("continuo");
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(ROOT, "bin/continuo.js"), ...args], {
      cwd: join(home, "project"),
      // With colours a pipe gets what a person sees, such as the aligned list.
      env: { HOME: home, PATH: "/usr/bin:/bin", FORCE_COLOR: "1" },
      encoding: "utf8",
    });
    expect(status).toBe(0);
    // Output that is only for people, such as the name of a written file, goes to standard error.
    const printed = stripVTControlCharacters(stdout === "" ? stderr : stdout);
    expect(withoutTimes(printed)).toMatch(toPattern(output));
  });
});
