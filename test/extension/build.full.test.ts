/**
 * The build of the extension: as few permissions as possible, a fixed id, and a Firefox build that Mozilla's
 * linter accepts.
 */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { PNG } from "pngjs";
import { expect, test } from "vitest";
import { builtExtension } from "../sizes/shared-programs.ts";
import { EXTENSION_ID } from "./served.ts";

const ROOT = join(import.meta.dirname, "../..");
const LINTER = join(ROOT, "extension/node_modules/addons-linter/bin/addons-linter");
const PAGE = readFileSync(join(ROOT, "docs/extension.md"), "utf8");

interface Manifest {
  readonly key: string;
  readonly icons: Readonly<Record<string, string>>;
  readonly permissions: readonly string[];
  readonly host_permissions?: readonly string[];
  readonly content_scripts?: unknown;
  readonly externally_connectable?: unknown;
  readonly web_accessible_resources?: unknown;
  readonly optional_host_permissions: readonly string[];
  readonly optional_permissions?: readonly string[];
  readonly content_security_policy: { readonly extension_pages: string };
}

async function manifestOf(build: "chrome-mv3" | "firefox-mv3"): Promise<Manifest> {
  return JSON.parse(readFileSync(join(await builtExtension(), build, "manifest.json"), "utf8"));
}

test("docs/extension.md names each permission, and no site is allowed from the start", async () => {
  for (const build of ["chrome-mv3", "firefox-mv3"] as const) {
    const manifest = await manifestOf(build);
    const { permissions, optional_permissions: optional = [] } = manifest;
    const unexplained = [...permissions, ...optional].filter((name) => !PAGE.includes(`\`${name}\``));
    expect(unexplained).toEqual([]);
    expect(manifest.host_permissions ?? []).toEqual([]);
    expect(manifest.content_scripts ?? null).toBeNull();
    expect(manifest.externally_connectable ?? null).toBeNull();
    expect(manifest.web_accessible_resources ?? null).toBeNull();
    expect(manifest.optional_host_permissions).toEqual(["http://*/*", "https://*/*", "file:///*"]);
    const wasm = build === "chrome-mv3" ? " 'wasm-unsafe-eval'" : "";
    expect(manifest.content_security_policy.extension_pages).toContain(
      `default-src 'none'; script-src 'self'${wasm};`,
    );
  }
  expect((await manifestOf("chrome-mv3")).optional_permissions).toEqual(["tabCapture"]);
  expect((await manifestOf("firefox-mv3")).optional_permissions ?? []).toEqual([]);
  expect((await manifestOf("chrome-mv3")).permissions.toSorted()).toEqual([
    "activeTab",
    "alarms",
    "offscreen",
    "scripting",
    "sidePanel",
    "storage",
  ]);
});

test("each build has its icons in the sizes that browsers and stores ask for", async () => {
  for (const build of ["chrome-mv3", "firefox-mv3"] as const) {
    const { icons } = await manifestOf(build);
    expect(Object.keys(icons)).toEqual(["16", "32", "48", "96", "128"]);
    for (const [size, path] of Object.entries(icons)) {
      const { width, height } = PNG.sync.read(readFileSync(join(await builtExtension(), build, path)));
      expect([path, width, height]).toEqual([path, Number(size), Number(size)]);
    }
  }
});

test("Chromium's build has all files that read text in pictures, and no script loads code from the network", async () => {
  const folder = join(await builtExtension(), "chrome-mv3");
  expect(readdirSync(join(folder, "text")).toSorted()).toEqual([
    "LICENSE",
    "eng.traineddata.gz",
    "tesseract-core-simd-lstm.js",
    "tesseract-core-simd-lstm.wasm",
  ]);
  const scripts = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".js"),
  );
  expect(scripts.length).toBeGreaterThan(4);
  const loading = scripts.filter((path) =>
    /cdn\.|unpkg|jsdelivr|import\(["'`]https?:/u.test(readFileSync(join(folder, path), "utf8")),
  );
  expect(loading).toEqual([]);
  expect(readdirSync(join(await builtExtension(), "firefox-mv3"))).not.toContain("text");
});

test("the key of the manifest gives the id that the extension's documentation names", async () => {
  const { key } = await manifestOf("chrome-mv3");
  const hash = createHash("sha256").update(Buffer.from(key, "base64")).digest("hex").slice(0, 32);
  const id = [...hash].map((digit) => "abcdefghijklmnop"[Number.parseInt(digit, 16)]).join("");
  expect(id).toBe(EXTENSION_ID);
  expect(PAGE).toContain(`--origin chrome-extension://${id}`);
});

test("Mozilla's linter finds no error in the Firefox build, and warns only about Preact's own innerHTML", async () => {
  const folder = join(await builtExtension(), "firefox-mv3");
  const output = await new Promise<string>((resolve) => {
    // The linter's exit code counts warnings too.
    execFile(process.execPath, [LINTER, "--output", "json", folder], (_error, stdout) => resolve(stdout));
  });
  const found = JSON.parse(output) as {
    readonly errors: readonly unknown[];
    readonly warnings: readonly { readonly code: string; readonly file: string }[];
  };
  expect(found.errors).toEqual([]);
  expect(found.warnings.map(({ code, file }) => `${code} ${file.replace(/-.*$/u, "")}`)).toEqual([
    "UNSAFE_VAR_ASSIGNMENT chunks/sidepanel",
  ]);
});

test("the panel loads at most 60 kB, gzipped, before its first paint", async () => {
  const folder = join(await builtExtension(), "chrome-mv3");
  const html = readFileSync(join(folder, "sidepanel.html"), "utf8");
  const files = [...html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/gu)].map(([, path]) => path ?? "");
  expect(files.length).toBeGreaterThan(2);
  const bytes = files.reduce((sum, path) => sum + gzipSync(readFileSync(join(folder, path))).length, 0);
  expect(bytes).toBeLessThanOrEqual(60_000);
});

/**
 * The largest sizes in kB, gzipped, each a tenth above the present one: a change that needs more raises the number here,
 * with its reason. The reader of text (`text/`) has only files of others.
 */
const MOST_KB: Readonly<Record<string, number>> = {
  // The script that runs in every page that is watched.
  "watch.js": 8.3,
  // The worker, which the browser starts again at every event.
  "background.js": 5.2,
  // Everything else of ours, as it is installed.
  "all files": 106.5,
};

test.each(["chrome-mv3", "firefox-mv3"])(
  "%s, its worker and the script of a page stay within their sizes",
  async (name) => {
    const folder = join(await builtExtension(), name);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.endsWith("/text"))
      .map((entry) => join(entry.parentPath, entry.name));
    const sizeOf = (paths: readonly string[]): number =>
      paths.reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0);
    const sizes = Object.keys(MOST_KB).map(
      (path) => [path, sizeOf(path === "all files" ? files : [join(folder, path)])] as const,
    );
    expect(sizes.filter(([path, bytes]) => bytes / 1_000 > (MOST_KB[path] ?? 0))).toEqual([]);
  },
);
