import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import type { Shell } from "../terminal/index.ts";
import { runExtension } from "./extension.ts";

let folder: string;
beforeEach(() => {
  folder = scratchFolder("extension");
});

async function printed(json?: true): Promise<string> {
  let text = "";
  const stdout = {
    write: (part: string) => {
      text += part;
      return true;
    },
  };
  const shell = { home: folder, cwd: folder, env: {}, stdout } as unknown as Shell;
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
