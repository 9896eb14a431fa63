/** The files of the built viewer, read on first request. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { Preferences } from "@continuo/core/wire/machine";
import type { PageDevice } from "../context/index.ts";
import { compressed, type Encoding } from "../http/index.ts";

export interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  /** Its bytes in this encoding, which are made once because the server sends them many times. */
  encoded(encoding: Encoding): Promise<Uint8Array<ArrayBuffer>>;
}

export interface ServedPage {
  readonly preferences?: Preferences | undefined;
  readonly pagesOf: PageDevice;
  /** False for an address that ends with the server: a browser that installs it as an app would keep a dead address. */
  readonly isLasting: boolean;
}

export interface PageFiles {
  /**
   * `null` if the viewer is not built. With preferences, the page knows that they are stored, and has its theme before
   * its script runs.
   */
  page(of: ServedPage): PageFile | null;
  /** `null` for a name that the build does not have. */
  asset(name: string): PageFile | null;
  /** The name of the module for pages without a build step; `null` if the viewer is not built. */
  client(): string | null;
}

/** These files are compressed only once, because the largest takes some 30 ms of the processor. */
const BROTLI_QUALITY = 10;

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

/** @param folder with `index.html`, and `manifest.json`, which lists the names of the files in `assets/` */
export function createPageFiles(folder: string): PageFiles {
  const read = new Map<string, PageFile>();
  let known: Manifest | null = null;
  const manifest = (): Manifest => {
    known ??= manifestOf(readFileSync(join(folder, "manifest.json"), "utf8"));
    return known;
  };
  const fileAt = (path: string, of?: ServedPage): PageFile => {
    const key = JSON.stringify([path, of]);
    const known = read.get(key);
    if (known !== undefined) return known;
    const content = readFileSync(join(folder, path));
    const shown = of === undefined ? content : pageText(content.toString("utf8"), of);
    const bytes = Uint8Array.from(Buffer.from(shown));
    const hash = createHash("sha256").update(bytes).digest("base64url");
    const type = TYPES[extname(path)] ?? "application/octet-stream";
    const made = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>();
    const encoded: PageFile["encoded"] = (encoding) => {
      const known = made.get(encoding) ?? compressed(bytes, encoding, BROTLI_QUALITY);
      made.set(encoding, known);
      return known;
    };
    const file = { bytes, type, etag: `"${hash}"`, encoded };
    read.set(key, file);
    return file;
  };
  return {
    page: (of) => whereThere(() => fileAt("index.html", of)),
    asset: (name) => whereThere(() => (manifest().files.has(name) ? fileAt(join("assets", name)) : null)),
    client: () => whereThere(() => manifest().client ?? null),
  };
}

function pageText(html: string, { preferences, pagesOf, isLasting }: ServedPage): string {
  const marks = [
    preferences === undefined ? "" : " data-kept",
    preferences?.theme === undefined ? "" : ` data-theme="${preferences.theme}"`,
    pagesOf === "phone" ? " data-phone" : "",
  ];
  const marked = html.replace("<html", `<html${marks.join("")}`);
  return isLasting ? marked : marked.replace(APP_LINKS, "");
}

/** The links with which a browser installs the page as an app. */
const APP_LINKS = /<link rel="(?:manifest|apple-touch-icon)"[^>]*>\n/gu;

interface Manifest {
  readonly files: ReadonlySet<string>;
  readonly client?: string;
}

function manifestOf(text: string): Manifest {
  const { files, ...others }: { readonly files: readonly string[]; readonly client?: string } =
    JSON.parse(text);
  return {
    files: new Set(files.filter((name) => /^[\w-]+\.(?:js|css|png|webmanifest)$/u.test(name))),
    ...others,
  };
}

/** `null` for a file that does not exist. */
function whereThere<Found>(read: () => Found | null): Found | null {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
