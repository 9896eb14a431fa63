/** The files of the built viewer, read on first request. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";

export interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
}

export interface PageFiles {
  /** `null` where the viewer is not built. */
  page(): PageFile | null;
  /** `null` for a name that the build does not have. */
  asset(name: string): PageFile | null;
}

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
};

/** @param folder with `index.html`, and `manifest.json`, which lists the names of what is in `assets/` */
export function createPageFiles(folder: string): PageFiles {
  const read = new Map<string, PageFile>();
  let names: ReadonlySet<string> | null = null;
  const fileAt = (path: string): PageFile => {
    const known = read.get(path);
    if (known !== undefined) return known;
    const bytes = Uint8Array.from(readFileSync(join(folder, path)));
    const hash = createHash("sha256").update(bytes).digest("base64url");
    const type = TYPES[extname(path)] ?? "application/octet-stream";
    const file = { bytes, type, etag: `"${hash}"` };
    read.set(path, file);
    return file;
  };
  return {
    page: () => whereThere(() => fileAt("index.html")),
    asset: (name) =>
      whereThere(() => {
        names ??= namesIn(readFileSync(join(folder, "manifest.json"), "utf8"));
        return names.has(name) ? fileAt(join("assets", name)) : null;
      }),
  };
}

function namesIn(manifest: string): ReadonlySet<string> {
  const { files }: { files: readonly string[] } = JSON.parse(manifest);
  return new Set(files.filter((name) => /^[\w-]+\.(?:js|css)$/u.test(name)));
}

/** `null` for a file that is not there. */
function whereThere(read: () => PageFile | null): PageFile | null {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
