/**
 * Counts the work of a command: loaded before it by `--import`, it writes the counts to `CONTINUO_COUNTS` when the process
 * exits. Work is the same on every machine; time is not. Only files below `HOME` and `CONTINUO_HOME` count.
 */

import fs from "node:fs";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import { StatementSync } from "node:sqlite";

/** The work of one process. */
export interface WorkCounts {
  /** Questions about a file or a folder. */
  readonly stats: number;
  /** Folders that were listed. */
  readonly folders: number;
  /** Files that were opened or read. */
  readonly opened: number;
  readonly parsedTexts: number;
  readonly parsedChars: number;
  /** Rows of SQLite. */
  readonly rows: number;
  /** Modules of the sources, of packages, and of Node. */
  readonly modules: number;
}

const counts = { stats: 0, folders: 0, opened: 0, parsedTexts: 0, parsedChars: 0, rows: 0, modules: 0 };
const { HOME = "", CONTINUO_HOME = "", CONTINUO_COUNTS } = process.env;

type AnyFunction = (this: unknown, ...given: never[]) => unknown;

/** Calls `count` with the arguments and the result of each call. */
function watch(
  owner: object,
  name: string,
  count: (given: readonly unknown[], result: unknown) => void,
): void {
  const all = owner as Record<string, AnyFunction>;
  const original = all[name];
  if (original === undefined) throw new Error(`there is no ${name} to count`);
  all[name] = function (...given) {
    const result = original.apply(this, given);
    count(given, result);
    return result;
  };
}

function countFiles(key: "stats" | "folders" | "opened", names: readonly string[]): void {
  for (const name of names) {
    watch(fs, name, ([path]) => {
      if ([HOME, CONTINUO_HOME].some((folder) => String(path).startsWith(folder))) counts[key] += 1;
    });
  }
}

countFiles("stats", ["statSync", "lstatSync", "existsSync", "realpathSync"]);
countFiles("folders", ["readdirSync", "opendirSync"]);
countFiles("opened", ["openSync", "readFileSync"]);
syncBuiltinESMExports();

watch(JSON, "parse", ([text]) => {
  counts.parsedTexts += 1;
  counts.parsedChars += String(text).length;
});
watch(StatementSync.prototype, "all", (_, rows) => {
  counts.rows += Array.isArray(rows) ? rows.length : 0;
});
watch(StatementSync.prototype, "get", () => {
  counts.rows += 1;
});
watch(StatementSync.prototype, "iterate", (_, rows) => {
  watch(rows as object, "next", () => {
    counts.rows += 1;
  });
});
registerHooks({
  load(url, context, next) {
    counts.modules += 1;
    return next(url, context);
  },
});
process.on("exit", () => {
  if (CONTINUO_COUNTS !== undefined) fs.writeFileSync(CONTINUO_COUNTS, JSON.stringify(counts));
});
