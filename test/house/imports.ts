/**
 * The imports of the source, read as text. This is exact enough for a plan, because the type checker reads them too.
 */

import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { ADAPTERS, doorsOf, PACKAGES } from "../../scripts/packages.ts";
import { FLOOR_PLAN } from "./floor-plan.ts";

export interface SourceFile {
  /**
   * The path, with `/`. For a file of the source it begins with the room (`store/rules/append.ts`); otherwise it is
   * relative to the folder.
   */
  readonly path: string;
  /** The path below the root, with `/`. */
  readonly file: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** The specifier as the import has it. */
  readonly specifier: string;
  /**
   * The imported file, in the form of `SourceFile.path` or relative to the root if it is elsewhere, or the name of a
   * package.
   */
  readonly target: string;
  /** The path relative to the root, with `/`; empty for a foreign package. */
  readonly file: string;
  readonly local: boolean;
  /** A static import of values: it loads its target when the file is loaded. */
  readonly eager: boolean;
}

export const ROOT: string = join(import.meta.dirname, "../..");

const IMPORT =
  /(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[^;'"]*?\sfrom\s+)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gu;

/**
 * The folder of each room, relative to the root, and its name. The longest come first, because a folder may be inside
 * another one.
 */
const FOLDERS: readonly (readonly [folder: string, room: string])[] = [
  ...Object.entries(FLOOR_PLAN).map(([room, { folder }]) => [folder, room] as const),
].sort(([a], [b]) => b.length - a.length);

/** The file of a room, below the root: `packages/store/src/store/rules/append.ts` of `store/rules/append.ts`. */
export function fileOf(path: string): string {
  const [room = "", ...rest] = path.split("/");
  return posix.join(FLOOR_PLAN[room]?.folder ?? "src", ...rest);
}

/** The inverse of `fileOf`; the path of a file that belongs to no room does not change. */
export function pathOf(file: string): string {
  if (FLOOR_PLAN[posix.basename(file)]?.folder === file) return posix.basename(file);
  const [folder, room] = FOLDERS.find(([one]) => file.startsWith(`${one}/`)) ?? [];
  return folder === undefined || room === undefined ? file : posix.join(room, file.slice(folder.length));
}

const read = new Map<string | undefined, readonly SourceFile[]>();

/** All rooms, or one folder of the root, whose paths then begin below it. Files are read once in a process. */
export function readSource(folder?: string): readonly SourceFile[] {
  const known = read.get(folder);
  if (known !== undefined) return known;
  const files = readFiles(folder);
  read.set(folder, files);
  return files;
}

function readFiles(folder: string | undefined): readonly SourceFile[] {
  const folders =
    folder === undefined
      ? ["src", ...[...PACKAGES, ...ADAPTERS].map((name) => `packages/${name}/src`)]
      : [folder];
  return folders
    .flatMap((base) => filesBelow(base))
    .map((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      const path = folder === undefined ? pathOf(file) : file.slice(folder.length + 1);
      return withImports({ path, file, text }, folder);
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Most readers want only the text: the imports are looked for when they are first asked for. */
function withImports(source: Omit<SourceFile, "imports">, folder: string | undefined): SourceFile {
  let imports: readonly Import[] | undefined;
  return {
    ...source,
    get imports() {
      imports ??= importsOf(source.file, source.text, folder);
      return imports;
    },
  };
}

/** The file of each specifier that our packages export, such as `@continuo/core/model`. */
export const DOORS: ReadonlyMap<string, string> = new Map(
  [...PACKAGES, ...ADAPTERS].flatMap((name) => [...doorsOf(ROOT, name)]),
);

/** Installations, and builds of the extension, are not source. */
function filesBelow(base: string): string[] {
  const exclude = (path: string): boolean => /^(?:node_modules$|\.)/u.test(basename(path));
  return globSync("**/*.{ts,tsx}", { cwd: join(ROOT, base), exclude }).map((path) => `${base}/${path}`);
}

function importsOf(from: string, text: string, folder: string | undefined): Import[] {
  return [...withoutComments(text).matchAll(IMPORT)].map(([, , type, fixed, dynamic]) => {
    const name = fixed ?? dynamic ?? "";
    const file = name.startsWith(".") ? posix.join(dirname(from), name) : (DOORS.get(name) ?? "");
    const target = targetOf(name, file, folder);
    return {
      specifier: name,
      target,
      file,
      local: target !== name || name === "",
      eager: type === undefined && fixed !== undefined,
    };
  });
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gmu, "");
}

/** @param file the imported file, relative to the root; empty for a foreign package */
function targetOf(name: string, file: string, folder: string | undefined): string {
  if (file === "") return name;
  if (folder === undefined) return pathOf(file);
  if (!name.startsWith(".")) return name;
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;
}

export function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}

export function roomOf(path: string): string {
  return path.split("/")[0] ?? "";
}
