/**
 * The bundle of the viewer: how much a browser loads before it shows something, and the files that the manifest and the
 * page name.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { bundleWeb, type WebManifest } from "../../scripts/web.ts";
import { scratchFolder } from "../scratch-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const BUDGET = 60 * 1024;

/**
 * The largest sizes in kB, gzipped, each a tenth above the present one. A change that needs more raises the number
 * here, and gives its reason.
 */
const MOST_KB = {
  // All pages together, as a server stores them.
  viewer: 251,
  // One file, such as the worker that colours code: a person waits for it at the first click.
  file: 32.5,
  // The module for pages without a build step.
  client: 20.5,
  // The page with which `continuo view ID --output FILE` begins each file.
  filePage: 135.5,
} as const;

const folder = scratchFolder("web");
let manifest: WebManifest;
beforeAll(async () => {
  manifest = await bundleWeb(ROOT, folder);
});

function gzipped(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, "assets", name))).length, 0);
}

test("the list and a session together need at most 60 kB gzipped", () => {
  expect(manifest.first.length).toBeGreaterThan(1);
  // A session needs its page and the code that draws messages.
  expect(gzipped(manifest.session)).toBeGreaterThan(10_000);
  expect(gzipped([...manifest.first, ...manifest.session])).toBeLessThanOrEqual(BUDGET);
  expect(gzipped(manifest.first)).toBeLessThanOrEqual(BUDGET * 0.6);
});

test("the whole viewer, each of its files, the client and the page of a file stay within their sizes", () => {
  const page = gzipSync(readFileSync(join(folder, "file.html"))).length;
  const sizes = {
    viewer: gzipped(manifest.files),
    file: Math.max(...manifest.files.map((name) => gzipped([name]))),
    client: gzipped([manifest.client]),
    filePage: page,
  };
  expect(
    Object.entries(sizes).filter(([name, bytes]) => bytes / 1_000 > MOST_KB[name as keyof typeof sizes]),
  ).toEqual([]);
});

test("the list and a session do not load the syntax highlighter", () => {
  const texts = [...manifest.first, ...manifest.session].map((name) =>
    readFileSync(join(folder, "assets", name), "utf8"),
  );
  expect(texts.some((text) => text.includes("hljs"))).toBe(false);
  const worker = manifest.files.filter((name) => name.startsWith("colour-"));
  expect(worker.map((name) => readFileSync(join(folder, "assets", name), "utf8").includes("hljs-"))).toEqual([
    true,
  ]);
});

test("the manifest lists every file, and the page names the files of its first view", () => {
  expect(readdirSync(join(folder, "assets")).sort()).toEqual(manifest.files);
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const named = [...html.matchAll(/\/assets\/([\w.-]+)/gu)].map(([, name]) => name);
  const begun = named.filter((name = "") => /\.(?:css|js)$/u.test(name));
  expect(begun).toHaveLength(2);
  expect(manifest.first).toEqual(expect.arrayContaining(begun));
  // The other files are for the installation as an app.
  const app = named.filter((name) => !begun.includes(name));
  expect(app).toEqual([
    expect.stringMatching(/^app-\w+\.webmanifest$/u),
    expect.stringMatching(/^icon-180-\w+\.png$/u),
  ]);
  expect(manifest.files).toEqual(expect.arrayContaining(app));
  expect(html).not.toMatch(/<script(?! type="module" src=)|<style| on\w+=/u);
});
