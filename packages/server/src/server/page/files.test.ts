import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { createPageFiles, type ServedPage } from "./files.ts";

const SOURCE = readFileSync(join(import.meta.dirname, "../../../../../web/index.html"), "utf8");
const folder = scratchFolder("page-files");
writeFileSync(join(folder, "index.html"), SOURCE);
writeFileSync(join(folder, "manifest.json"), JSON.stringify({ files: [] }));

test.each<[string, ServedPage, string, boolean]>([
  ["on an address that lasts", { pagesOf: "computer", isLasting: true }, '<html lang="en">', true],
  [
    "on an address that ends with the server",
    { pagesOf: "computer", isLasting: false },
    '<html lang="en">',
    false,
  ],
  ["on a phone", { pagesOf: "phone", isLasting: true }, '<html data-phone lang="en">', true],
  [
    "with a theme",
    { pagesOf: "computer", isLasting: true, preferences: { theme: "dark" } },
    '<html data-kept data-theme="dark" lang="en">',
    true,
  ],
])("the page %s has its marks, and links to an app only where it can be installed", (_, of, mark, isApp) => {
  const html = Buffer.from(createPageFiles(folder).page(of)?.bytes ?? []).toString("utf8");
  expect(html).toContain(mark);
  expect([html.includes('rel="manifest"'), html.includes('rel="apple-touch-icon"')]).toEqual([isApp, isApp]);
  expect(html).toContain('<link rel="stylesheet" href="STYLE">');
});

test("a page that was made for one device and theme is not served to another one", () => {
  const files = createPageFiles(folder);
  const shown = (of: ServedPage): string => Buffer.from(files.page(of)?.bytes ?? []).toString("utf8");
  const pages: readonly ServedPage[] = [
    { pagesOf: "computer", isLasting: true },
    { pagesOf: "phone", isLasting: true },
    { pagesOf: "computer", isLasting: true, preferences: { theme: "dark" } },
  ];
  for (const of of [...pages, ...pages]) {
    const html = shown(of);
    expect([html.includes("data-phone"), html.includes('data-theme="dark"')]).toEqual([
      of.pagesOf === "phone",
      of.preferences !== undefined,
    ]);
  }
});
