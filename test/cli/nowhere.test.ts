/** Locations where no folder can be created. */

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { cleanEnv, createHome, MAIN } from "./home.ts";

test.each([
  ["Continuo's own folder", { CONTINUO_HOME: "/proc/nope" }, ["repl"], "/proc/nope"],
  [
    "the folder of a store",
    {},
    ["store", "info", "--store", "sqlite:/proc/nope/a/x.db"],
    "/proc/nope/a/x.db",
  ],
])("%s that cannot be created is an error, without endless attempts", (_, env, args, names) => {
  using home = createHome();
  const { signal, status, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    env: { ...cleanEnv(home.path), ...env },
    encoding: "utf8",
    input: "hi\n",
    // A program that repeats a failing creation would not handle any other signal.
    killSignal: "SIGKILL",
    timeout: 60_000,
  });
  expect({ signal, isFine: status === 0, stderr }).toEqual({
    signal: null,
    isFine: false,
    stderr: expect.stringMatching(new RegExp(`^continuo: .*${names}.*\n.+\n$`, "u")),
  });
});
