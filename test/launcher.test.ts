/** The messages of the launcher if Continuo cannot run. */

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "./scratch-folder.ts";

const LAUNCHER = join(import.meta.dirname, "../bin/continuo.js");

test("Windows is refused with what to do instead", () => {
  const windows = `data:text/javascript,Object.defineProperty(process, "platform", { value: "win32" })`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", windows, LAUNCHER, "list"], {
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^continuo: Windows is not supported: run Continuo in WSL /u);
});

test.each(["18.20.8", "20.20.0", "22.22.1"])(
  "Node %s is refused in one line with what to do, if no newer Node is next to the command",
  (version) => {
    // The launcher is copied, because a clone has a newer Node next to it, and an installation by npm does not.
    const folder = scratchFolder("launcher");
    for (const part of ["bin", "dist/cli"]) mkdirSync(join(folder, part), { recursive: true });
    copyFileSync(LAUNCHER, join(folder, "bin/continuo.js"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "dist/cli/main.js"), "process.stdout.write('started');");
    const older = `data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--import", older, join(folder, "bin/continuo.js"), "list"],
      { encoding: "utf8" },
    );
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^continuo: this is Node [\d.]+, and Node 24 or newer is needed: [^\n]+\n$/u);
  },
);
