/** `continuo errors`: every code leads to its explanation, on this machine. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ContinuoError, ERROR_KINDS } from "@continuo/core/model";
import { expect, test } from "vitest";
import { reportFailure } from "../../src/cli/failure.ts";
import { createHome, SINGLE } from "./home.ts";
import { runHere, shellHere } from "./in-process.ts";

const home = createHome();
const CODES = [...Object.keys(ERROR_KINDS), "internal"];

test("`continuo errors` lists every code with its meaning", async () => {
  const { code, stdout, stderr } = await runHere(home, ["errors"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => line.split(" ")[0]).toSorted()).toEqual(CODES.toSorted());
  expect(lines.every((line) => /^\w+ {2,}\S.{10,}$/u.test(line))).toBe(true);
});

test("`continuo errors CODE` says what each code means, why it happens and what to do, as the page does", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/errors.md"), "utf8");
  for (const code of CODES) {
    const { stdout } = await runHere(home, ["errors", code]);
    const [, meaning = "", cause = "", remedy = ""] =
      new RegExp(
        `^${code}: (.+)\\.\\n\\nWhy: (.+)\\n\\nWhat to do: (.+)\\n\\nExit code \\d+, HTTP status \\d+\\.`,
        "u",
      ).exec(stdout) ?? [];
    expect(meaning, code).not.toBe("");
    const linked = remedy.replaceAll(/\bdocs\/([\w-]+\.md)/gu, "[$1]($1)");
    expect(page).toContain(
      `## ${code}\n\n**Meaning:** ${meaning}.\n\n**Why:** ${cause}\n\n**What to do:** ${linked}\n`,
    );
  }
});

test("`continuo errors CODE --json` has the address of the page on this machine, whose section exists", async () => {
  const { stdout } = await runHere(home, ["errors", "conflict", "--json"]);
  const explained = JSON.parse(stdout);
  expect(explained).toMatchObject({ code: "conflict", exitCode: 5, httpStatus: 409 });
  // The single executable has no pages.
  if (SINGLE === undefined) expect(readFileSync(explained.file, "utf8")).toContain("\n## conflict\n");
  else expect(explained.file).toBe(null);
  expect(explained.page).toBe("docs/errors.md#conflict");
});

test("an unknown code is wrong usage, with the nearest one as a hint", async () => {
  const { code, stderr } = await runHere(home, ["errors", "sesion_live"]);
  expect([code, stderr]).toEqual([
    2,
    'continuo: there is no error code "sesion_live"\nDid you mean session_live?\n',
  ]);
});

test("on a terminal an error ends with the command that explains it, and in a pipe it does not", () => {
  const error = new ContinuoError("session_live", "the session is open", { hint: "Close it first." });
  const { shell, stderr } = shellHere(home);
  expect(reportFailure(error, [], shell)).toBe(5);
  expect(stderr()).toBe("continuo: the session is open\nClose it first.\n");
  Object.assign(shell.stderr, { isTTY: true, columns: 80 });
  reportFailure(error, [], shell);
  expect(stderr().split("\n").slice(2)).toEqual([
    "continuo: the session is open",
    "Close it first.",
    "`continuo errors session_live` explains this error.",
    "",
  ]);
  reportFailure(new ContinuoError("usage", "no such flag"), [], shell);
  expect(stderr()).not.toContain("errors usage");
});
