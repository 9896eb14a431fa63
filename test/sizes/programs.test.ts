import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { installationAdvice, missingPrograms, PROGRAMS } from "./programs.ts";

let folder: string;
beforeEach(() => {
  folder = scratchFolder("programs");
});

function write(path: string, mode: number): void {
  writeFileSync(join(folder, path), "");
  chmodSync(join(folder, path), mode);
}

test("a program that is on no folder of the search path is missing, and so is a file that cannot be run", () => {
  mkdirSync(join(folder, "one"));
  mkdirSync(join(folder, "two"));
  for (const { name } of PROGRAMS.slice(2)) write(`two/${name}`, 0o755);
  write("one/tmux", 0o755);
  write("one/less", 0o644);
  const searchPath = [join(folder, "one"), join(folder, "two")].join(delimiter);
  expect(missingPrograms(searchPath).map(({ name }) => name)).toEqual(["less"]);
  expect(missingPrograms("").map(({ name }) => name)).toEqual(PROGRAMS.map(({ name }) => name));
});

test("the advice names every missing program and the command that installs it", () => {
  const missing = PROGRAMS.filter(({ name }) => ["fish", "ip"].includes(name));
  expect(installationAdvice(missing, "linux")).toBe(
    "missing: fish, ip\nInstall on Debian or Ubuntu: apt-get install --no-install-recommends fish iproute2\n",
  );
  expect(installationAdvice(missing, "darwin")).toBe(
    "missing: fish, ip\nInstall with Homebrew: brew install fish\nOnly Linux has ip: run this size there.\n",
  );
});
