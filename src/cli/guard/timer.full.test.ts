/**
 * The timer in a home whose name needs quotes: systemd accepts its units, and the launchd agent has the same content.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { unitsOf } from "./timer.ts";

function shellIn(name: string): {
  readonly home: string;
  readonly cwd: string;
  readonly env: { PATH: string };
} {
  const home = join(scratchFolder("timer"), name);
  mkdirSync(home);
  return { home, cwd: home, env: { PATH: process.env.PATH ?? "" } };
}

test("systemd-analyze reports no fault of the units", () => {
  const shell = shellIn('100% "mine" $HOME & <more>');
  const paths = unitsOf(shell, "linux").map(([path, text]) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  });
  const verify = () => {
    // The folder in which the manager would keep its sockets.
    const env = { ...shell.env, HOME: shell.home, XDG_RUNTIME_DIR: scratchFolder("runtime") };
    const { status, stdout, stderr } = spawnSync("systemd-analyze", ["--user", "verify", ...paths], {
      env,
      encoding: "utf8",
    });
    return { status, said: stdout + stderr };
  };
  expect(verify()).toEqual({ status: 0, said: "" });
  const [service = ""] = paths;
  writeFileSync(service, "[Service]\nType=oneshot\nExecStart=nowhere/continuo\n");
  expect(verify().said).toContain("has a bad unit file setting");
});

const READ_PLIST =
  "import json, plistlib, sys; json.dump(plistlib.loads(sys.stdin.buffer.read()), sys.stdout)";

test("the agent of launchd starts the command of the timer, with its folders", () => {
  const shell = shellIn('100% "mine" $HOME & <more>');
  const [[path, text] = ["", ""]] = unitsOf(shell, "darwin");
  expect(path).toBe(join(shell.home, "Library/LaunchAgents/dev.continuo.guard.plist"));
  const { stdout, stderr } = spawnSync("python3", ["-c", READ_PLIST], { input: text, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toMatchObject({
    Label: "dev.continuo.guard",
    ProgramArguments: [process.execPath, expect.any(String), "guard", "run", "--quiet"],
    EnvironmentVariables: { CONTINUO_HOME: join(shell.home, ".continuo"), PATH: shell.env.PATH },
    StartInterval: 3600,
    RunAtLoad: true,
    Nice: 19,
  });
});
