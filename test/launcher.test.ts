/** The words of the launcher where Continuo cannot run. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const LAUNCHER = join(import.meta.dirname, "../bin/continuo.js");

test("Windows is refused with what to do instead", () => {
  const windows = `data:text/javascript,Object.defineProperty(process, "platform", { value: "win32" })`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", windows, LAUNCHER, "list"], {
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^continuo: Windows is not supported: run Continuo in WSL /u);
});
