/** Finds files below 25 lines and folders below 100 lines that have no reason to be files or folders of their own. */

import { posix } from "node:path";
import { ENVIRONMENT_READERS, FLOOR_PLAN } from "./floor-plan.ts";
import { DOORS, folderOf, pathOf, type SourceFile } from "./imports.ts";

const SMALL_LINES = 25;
/** The lines of a folder with its subfolders, without tests. */
const SMALL_FOLDER_LINES = 100;

/** Names that the house prescribes: the same kind of code has the same name in every folder. */
const NAMED = new Set(["index.ts", "limits.ts", "flags.ts"]);

/** Small files without a reason: their code belongs in the file that uses it, or in a file about the same subject. */
export function crumbsIn(files: readonly SourceFile[], documents: readonly string[]): string[] {
  const production = files.filter(({ path }) => !path.endsWith(".test.ts"));
  const uses = usesIn(production);
  const loadedLater = loadedLaterIn(production);
  const paths = new Set(files.map(({ path }) => path));
  return production
    .filter(({ path, text }) => linesOf(text) < SMALL_LINES && !NAMED.has(posix.basename(path)))
    .filter(
      (file) =>
        !(
          hasOwnTest(file, paths) ||
          /\bimport\(/u.test(file.text) ||
          loadedLater.has(file.path) ||
          isOfEachAgent(file, paths) ||
          ENVIRONMENT_READERS.some(
            (allowed) => allowed.source.includes("environment") && allowed.test(file.path),
          ) ||
          documents.some((text) => text.includes(file.file) || text.includes(`\`${file.path}`)) ||
          usersOf(file, uses).size > 1
        ),
    )
    .map(({ path }) => path);
}

/**
 * Small folders without a reason: their files belong in the folder that uses them. A room of the floor plan, and a
 * folder that every agent has, do not count.
 */
export function smallFoldersIn(files: readonly SourceFile[]): string[] {
  const lines = new Map<string, number>();
  for (const { path, text } of files.filter((file) => !file.path.endsWith(".test.ts"))) {
    for (let folder = folderOf(path); folder !== ""; folder = parentOf(folder))
      lines.set(folder, (lines.get(folder) ?? 0) + linesOf(text));
  }
  const isRoom = (folder: string): boolean => Object.hasOwn(FLOOR_PLAN, folder);
  const isInEachAgent = (folder: string): boolean => /^(?:native|drivers)\/\w+\/agent$/u.test(folder);
  return [...lines]
    .filter(([folder, count]) => count < SMALL_FOLDER_LINES && !isRoom(folder) && !isInEachAgent(folder))
    .map(([folder]) => folder);
}

function parentOf(folder: string): string {
  const parent = posix.dirname(folder);
  return parent === "." ? "" : parent;
}

function linesOf(text: string): number {
  return text.trimEnd().split("\n").length;
}

function hasOwnTest({ path }: SourceFile, paths: ReadonlySet<string>): boolean {
  return paths.has(path.replace(/\.ts$/u, ".test.ts"));
}

/** Files that another file loads only when it needs them, such as the work of one command of several. */
function loadedLaterIn(files: readonly SourceFile[]): ReadonlySet<string> {
  const targets = files.flatMap(({ text, path }) =>
    [...text.matchAll(/\bimport\(\s*"([^"]+)"\s*\)/gu)].map(([, target = ""]) =>
      posix.join(folderOf(path), target),
    ),
  );
  return new Set(targets);
}

/** True if the folder of another agent has the same file: every agent has the same kind of code in the same place. */
function isOfEachAgent({ path }: SourceFile, paths: ReadonlySet<string>): boolean {
  const [room, folder] = path.split("/");
  if (room !== "native" && room !== "drivers") return false;
  const agents = ["claude", "codex", "gemini", "opencode", "pi", "acp"];
  return agents.some((agent) => agent !== folder && paths.has(`${room}/${agent}/${posix.basename(path)}`));
}

interface Use {
  readonly user: string;
  readonly target: string;
  readonly names: ReadonlySet<string>;
}

function usesIn(files: readonly SourceFile[]): Use[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/^import (?:type )?\{([^}]*)\} from "([^"]+)";/gmu)].map(
      ([, names = "", from = ""]) => ({
        user: path,
        target: DOORS.has(from) ? pathOf(DOORS.get(from) ?? "") : posix.join(folderOf(path), from),
        names: new Set(names.match(/\w+/gu)),
      }),
    ),
  );
}

/** The files that import it, or one of its names from the index of its folder. An index that only re-exports it is not a user. */
function usersOf({ path, text }: SourceFile, uses: readonly Use[]): ReadonlySet<string> {
  const index = posix.join(folderOf(path), "index.ts");
  const names = [...text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gmu)];
  const isUse = (use: Use): boolean =>
    use.target === path || (use.target === index && names.some(([, name = ""]) => use.names.has(name)));
  return new Set(uses.filter(isUse).map(({ user }) => user));
}
