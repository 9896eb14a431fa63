/**
 * Counts the work of a command. `--import` loads it before the command; it writes the counts to `CONTINUO_COUNTS` when
 * the process exits. The work is the same on every machine, and the time is not. Only files below `HOME`,
 * `CONTINUO_HOME` and the folder of scratch files, `TMPDIR`, count.
 */

import fs from "node:fs";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";

/** The work of one process. */
export interface WorkCounts {
  /** Calls that ask for the state of a file or a folder. */
  readonly stats: number;
  /** Folders that were listed. */
  readonly folders: number;
  /** Files that were opened or read. */
  readonly opened: number;
  /** Bytes of files, without those that SQLite reads and writes. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly parsedTexts: number;
  readonly parsedChars: number;
  /** Rows of SQLite. */
  readonly rows: number;
  /** Calls of SQLite that ran a statement. */
  readonly statements: number;
  /** Bytes that SQLite read and wrote, without those of its shared memory; 0 where the system does not report them. */
  readonly databaseRead: number;
  readonly databaseWritten: number;
  /** Modules of the sources, of packages, and of Node. */
  readonly modules: number;
  /** Collections of new objects: one for each megabyte of them, with `YOUNG_SPACE`. */
  readonly youngCollections: number;
}

const counts = {
  stats: 0,
  folders: 0,
  opened: 0,
  bytesRead: 0,
  bytesWritten: 0,
  parsedTexts: 0,
  parsedChars: 0,
  rows: 0,
  statements: 0,
  databaseRead: 0,
  databaseWritten: 0,
  modules: 0,
  youngCollections: 0,
};
const { HOME = "", CONTINUO_HOME = "", TMPDIR = "", CONTINUO_COUNTS } = process.env;
const COUNTED_FOLDERS = [HOME, CONTINUO_HOME, TMPDIR].filter((folder) => folder !== "");

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

/** Calls `count` with the arguments of each call of a function of `fs` with a callback, and its result. */
function watchLater(name: string, count: (given: readonly unknown[], result: unknown) => void): void {
  const all = fs as unknown as Record<string, AnyFunction>;
  const original = all[name];
  if (original === undefined) throw new Error(`there is no ${name} to count`);
  all[name] = function (...given) {
    const done = given.at(-1) as unknown as (error: unknown, ...results: unknown[]) => void;
    const counting = (error: unknown, ...results: unknown[]): void => {
      if (error === null || error === undefined) count(given, results[0]);
      done(error, ...results);
    };
    return original.apply(this, given.with(-1, counting as never));
  };
}

function isCounted(path: unknown): boolean {
  return COUNTED_FOLDERS.some((folder) => String(path).startsWith(folder));
}

function countFiles(key: "stats" | "folders" | "opened", names: readonly string[]): void {
  for (const name of names) {
    watch(fs, name, ([path]) => {
      if (isCounted(path)) counts[key] += 1;
    });
  }
}

/** Counts the calls of `fs/promises` when they are made, and bytes when they have arrived. */
async function countPromises(): Promise<void> {
  const { promises } = fs;
  const handle = await promises.open("/dev/null");
  const handles = Object.getPrototypeOf(handle) as object;
  await handle.close();
  const names = {
    stats: ["stat", "lstat", "access", "realpath"],
    folders: ["readdir", "opendir"],
    opened: ["open", "readFile"],
  } as const;
  for (const [key, ofKey] of Object.entries(names)) {
    for (const name of ofKey) {
      watch(promises, name, ([path]) => {
        if (isCounted(path)) counts[key as keyof typeof names] += 1;
      });
    }
  }
  const countedHandles = new WeakSet<object>();
  watch(promises, "open", ([path], result) => {
    if (isCounted(path)) whenDone(result, (file) => countedHandles.add(file as object));
  });
  watch(promises, "readFile", ([path], result) => {
    if (isCounted(path)) whenDone(result, (content) => countBytes("bytesRead", content));
  });
  watch(promises, "writeFile", ([path, content]) => {
    if (isCounted(path)) countBytes("bytesWritten", content);
  });
  // The methods of a handle need the handle as `this`, so they are replaced one by one.
  const methods = handles as Record<string, AnyFunction>;
  for (const [name, key] of [
    ["read", "bytesRead"],
    ["readFile", "bytesRead"],
    ["write", "bytesWritten"],
    ["writeFile", "bytesWritten"],
  ] as const) {
    const original = methods[name];
    if (original === undefined) throw new Error(`a handle has no ${name} to count`);
    methods[name] = function (...given) {
      const result = original.apply(this, given);
      if (countedHandles.has(this as object)) {
        if (name === "writeFile") countBytes(key, given[0]);
        else whenDone(result, (done) => countBytes(key, name === "readFile" ? done : bytesOf(done)));
      }
      return result;
    };
  }
}

function whenDone(result: unknown, use: (value: unknown) => void): void {
  // The caller handles the error.
  (result as Promise<unknown>).then(use, () => undefined);
}

/** The bytes of a call of `read` or `write` of a handle. */
function bytesOf(result: unknown): number {
  const { bytesRead = 0, bytesWritten = 0 } = result as Readonly<Record<string, number>>;
  return bytesRead + bytesWritten;
}

function countBytes(key: "bytesRead" | "bytesWritten", content: unknown): void {
  counts[key] += typeof content === "number" ? content : Buffer.byteLength(content as string | Buffer);
}

/** Node's own function, which is not counted. */
const { readSync } = fs;
const IO = "/proc/thread-self/io";
const io = fs.existsSync(IO) ? fs.openSync(IO, "r") : undefined;
const text = Buffer.alloc(1_024);
/** Writes of SQLite are longer than this, because of its headers. */
const WAKE_BYTES = 16;

/**
 * The bytes that this thread has read and written, and the bytes of this answer, which the next call counts as read.
 */
function bytesSoFar(): readonly [read: number, written: number, answer: number] {
  if (io === undefined) return [0, 0, 0];
  const answer = readSync(io, text, 0, text.length, 0);
  const [read = 0, written = 0] = text.toString("latin1", 0, answer).match(/\d+/gu)?.map(Number) ?? [];
  return [read, written, answer];
}

/** Counts what SQLite reads and writes during each call of a method. */
function watchDatabase(owner: object, name: string): void {
  const all = owner as Record<string, AnyFunction>;
  const original = all[name];
  if (original === undefined) throw new Error(`there is no ${name} to count`);
  all[name] = function (...given) {
    const [readBefore, writtenBefore, answer] = bytesSoFar();
    try {
      return original.apply(this, given);
    } finally {
      const [read, written] = bytesSoFar();
      counts.databaseRead += read - readBefore - answer;
      // Node wakes another thread with eight bytes, at any time.
      const wrote = written - writtenBefore;
      if (wrote > WAKE_BYTES) counts.databaseWritten += wrote;
    }
  };
}

for (const name of ["exec", "prepare", "close"]) watchDatabase(DatabaseSync.prototype, name);
for (const name of ["all", "get", "run"]) watchDatabase(StatementSync.prototype, name);

countFiles("stats", ["statSync", "lstatSync", "existsSync", "realpathSync"]);
countFiles("folders", ["readdirSync", "opendirSync"]);
countFiles("opened", ["openSync"]);
/** The open files that count. */
const opened = new Set<unknown>();
watch(fs, "openSync", ([path], file) => {
  if (isCounted(path)) opened.add(file);
  else opened.delete(file);
});
watch(fs, "readSync", ([file], bytes) => {
  if (opened.has(file)) counts.bytesRead += Number(bytes);
});
const { readFileSync } = fs;
/** It may open and read the file with the functions above, so their counts of this call are replaced. */
fs.readFileSync = ((...given: Parameters<typeof readFileSync>) => {
  const before = { opened: counts.opened, bytesRead: counts.bytesRead };
  const content = readFileSync(...given);
  const [file] = given;
  if (isCounted(file)) before.opened += 1;
  if (isCounted(file) || opened.has(file)) before.bytesRead += Buffer.byteLength(content);
  Object.assign(counts, before);
  return content;
}) as typeof readFileSync;
watch(fs, "writeSync", ([file], bytes) => {
  if (opened.has(file)) counts.bytesWritten += Number(bytes);
});
watch(fs, "writeFileSync", ([file, content]) => {
  if (isCounted(file) || opened.has(file))
    counts.bytesWritten += Buffer.byteLength(content as string | Buffer);
});
/** Streams of files use these functions. Their last argument receives an error, or the result. */
watchLater("open", ([path], file) => {
  if (!isCounted(path)) {
    opened.delete(file);
    return;
  }
  counts.opened += 1;
  opened.add(file);
});
watchLater("read", ([file], bytes) => {
  if (opened.has(file)) counts.bytesRead += Number(bytes);
});
for (const name of ["write", "writev"]) {
  watchLater(name, ([file], bytes) => {
    if (opened.has(file)) counts.bytesWritten += Number(bytes);
  });
}
await countPromises();
syncBuiltinESMExports();

watch(JSON, "parse", ([text]) => {
  counts.parsedTexts += 1;
  counts.parsedChars += String(text).length;
});
for (const name of ["all", "get", "run", "iterate"]) {
  watch(StatementSync.prototype, name, () => {
    counts.statements += 1;
  });
}
watch(StatementSync.prototype, "all", (_, rows) => {
  counts.rows += Array.isArray(rows) ? rows.length : 0;
});
watch(StatementSync.prototype, "get", () => {
  counts.rows += 1;
});
watch(StatementSync.prototype, "iterate", (_, rows) => {
  watchDatabase(rows as object, "next");
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
const collections = new PerformanceObserver((list) => countCollections(list.getEntries()));
collections.observe({ entryTypes: ["gc"] });

function countCollections(entries: readonly object[]): void {
  for (const entry of entries) {
    const { kind } = (entry as { readonly detail: { readonly kind: number } }).detail;
    if (kind === constants.NODE_PERFORMANCE_GC_MINOR) counts.youngCollections += 1;
  }
}

process.on("exit", () => {
  countCollections(collections.takeRecords());
  // The work of other threads is not counted.
  if (CONTINUO_COUNTS !== undefined && isMainThread)
    fs.writeFileSync(CONTINUO_COUNTS, JSON.stringify(counts));
});
