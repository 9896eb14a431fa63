import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import type { Shell } from "../terminal/index.ts";
import { runExtension } from "./extension.ts";

let folder: string;
beforeEach(() => {
  folder = scratchFolder("extension");
});

async function printed(json?: true, env: Readonly<Record<string, string>> = {}): Promise<string> {
  let text = "";
  const stdout = {
    write: (part: string) => {
      text += part;
      return true;
    },
  };
  const shell = { home: folder, cwd: folder, env, stdout } as unknown as Shell;
  const flags = { open: true, ...(json && { json }) };
  expect(await runExtension(flags, shell, join(folder, "dist"))).toBe(0);
  return text;
}

test("the folder of the extension is printed with the three steps, and as JSON", async () => {
  const chromium = join(folder, "dist/chrome-mv3");
  mkdirSync(chromium, { recursive: true });
  writeFileSync(join(chromium, "manifest.json"), "{}");
  const text = await printed();
  expect(text).toContain(`The extension is in ${chromium}\n`);
  for (const step of ["1. Open chrome://extensions", "2. Open a page", "3. Run `continuo serve`"]) {
    expect(text).toContain(step);
  }
  expect(JSON.parse(await printed(true))).toEqual({
    chromium,
    firefox: join(folder, "dist/firefox-mv3"),
  });
});

test("an extension that was not built is an error that says how to build it", async () => {
  await expect(printed()).rejects.toMatchObject({
    code: "not_found",
    hint: expect.stringContaining("npm run"),
  });
});

test.runIf(process.platform === "linux")(
  "a page with the three steps and the folder is opened, because no program can open the browser's own page of extensions",
  async () => {
    const chromium = join(folder, "dist/chrome-mv3");
    mkdirSync(chromium, { recursive: true });
    writeFileSync(join(chromium, "manifest.json"), "{}");
    const opened = join(folder, "opened");
    mkdirSync(join(folder, "bin"));
    // A stand-in for the desktop's program that opens the browser.
    writeFileSync(
      join(folder, "bin/xdg-open"),
      `#!/bin/sh\ncp "$1" '${opened}.new' && mv '${opened}.new' '${opened}'\n`,
    );
    chmodSync(join(folder, "bin/xdg-open"), 0o755);
    const env = {
      PATH: `${join(folder, "bin")}:/usr/bin:/bin`,
      CONTINUO_HOME: join(folder, "own"),
      DISPLAY: ":99",
    };
    await printed(undefined, env);
    await expect.poll(() => existsSync(opened), { timeout: 20_000 }).toBe(true);
    const page = readFileSync(opened, "utf8");
    expect(page).toContain(`<code>${chromium}</code>`);
    expect(page).toContain("<code>chrome://extensions</code>");
    expect(page.match(/<li>/gu)).toHaveLength(3);
  },
);
