import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import type { Shell } from "../terminal/index.ts";
import { openBrowser } from "./browser.ts";

const URL = "http://127.0.0.1:4748/#code=continuo_1_x/session/a%26b";
const SOON = { timeout: 20_000 };

let home: string;
let words: string;
beforeEach(() => {
  home = scratchFolder("browser");
  words = join(home, "words");
  program("xdg-open", `printf '%s\\n' "$@" > '${words}.new' && mv '${words}.new' '${words}'`);
});

/** A stand-in for a program of the system. */
function program(name: string, script: string): void {
  mkdirSync(join(home, "bin"), { recursive: true });
  writeFileSync(join(home, "bin", name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(home, "bin", name), 0o755);
}

function open(env: Readonly<Record<string, string>> = { DISPLAY: ":99" }): Promise<boolean> {
  const all = { PATH: `${join(home, "bin")}:/usr/bin:/bin`, CONTINUO_HOME: join(home, "own"), ...env };
  return openBrowser(URL, { home, cwd: home, env: all } as unknown as Shell);
}

async function fileOfBrowser(): Promise<string> {
  await expect.poll(() => existsSync(words), SOON).toBe(true);
  return readFileSync(words, "utf8").trim();
}

test.runIf(process.platform === "linux")(
  "the browser is started with a file that only its user can read",
  async () => {
    expect(await open()).toBe(true);
    const file = await fileOfBrowser();
    expect(dirname(file)).toBe(join(home, "own/viewer"));
    expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readFileSync(file, "utf8")).toContain(`content="0; url=${URL}"`);
  },
);

test.runIf(process.platform === "linux")(
  "a browser that is a snap gets the file in a folder that it can read",
  async () => {
    program("xdg-settings", "echo firefox_firefox.desktop");
    mkdirSync(join(home, "snap/firefox/common"), { recursive: true });
    expect(await open()).toBe(true);
    expect(dirname(await fileOfBrowser())).toBe(join(home, "snap/firefox/common"));
  },
);

test("no browser is started without a display, through ssh, or without a program for it", async () => {
  expect(await open({})).toBe(process.platform === "darwin");
  expect(await open({ DISPLAY: ":99", SSH_CONNECTION: "1" })).toBe(false);
  expect(await open({ DISPLAY: ":99", SSH_TTY: "/dev/pts/1" })).toBe(false);
  expect(await open({ DISPLAY: ":99", PATH: join(home, "nowhere") })).toBe(false);
});
