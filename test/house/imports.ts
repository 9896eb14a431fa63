/** The imports of the source, read as text: good enough for a plan, since the type checker reads them too. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";

export interface SourceFile {
  /** Below `src/`, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** A file below `src/`, or the name of a package. */
  readonly target: string;
  readonly local: boolean;
  /** A static import of values: it loads its target when the file is loaded. */
  readonly eager: boolean;
}

export const ROOT: string = join(import.meta.dirname, "../..");

const IMPORT =
  /(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[^;'"]*?\sfrom\s+)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gu;

export function readSource(folder = "src"): SourceFile[] {
  const base = join(ROOT, folder);
  return (
    readdirSync(base, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/u.test(entry.name))
      .map((entry) => relative(base, join(entry.parentPath, entry.name)).split(sep).join("/"))
      // What the extension's own installation and build left there is not source.
      .filter((path) => !/(?:^|\/)(?:node_modules|\.[^/]+)\//u.test(path))
      .sort()
      .map((path) => {
        const text = readFileSync(join(base, path), "utf8");
        return { path, text, imports: importsOf(path, text) };
      })
  );
}

function importsOf(path: string, text: string): Import[] {
  const withoutComments = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gmu, "");
  return [...withoutComments.matchAll(IMPORT)].map(([, , type, from, dynamic]) => {
    const name = from ?? dynamic ?? "";
    const local = name.startsWith(".");
    const target = local ? posix.normalize(posix.join(dirname(path), name)) : name;
    return { target, local, eager: type === undefined && from !== undefined };
  });
}

export function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}

export function roomOf(path: string): string {
  return path.split("/")[0] ?? "";
}
