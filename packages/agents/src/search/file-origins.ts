/** Finds the turns that wrote the lines of a file, in all sessions that name the file or contain its lines. */

import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type FileBlame, type LineOrigin, present } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { createPaths, isTelling, lineOrigins } from "@continuo/core/transcript/work";
import {
  editsOfSessions,
  ORIGIN_LIMITS,
  type PlacedCommit,
  type PlacedEdit,
  type WorkPlace,
} from "./origins/index.ts";
import { parseQuery } from "./query/index.ts";
import { searchToRead, type ToReadOptions } from "./search-to-read.ts";

export interface FileOriginsOptions extends ToReadOptions {
  /** Only edits up to this time, in ISO 8601, and edits without a time are used. */
  readonly before?: string;
}

/** Sessions are read once for all questions. */
export interface Origins {
  /**
   * The turns that wrote the lines of a file.
   *
   * @param path the absolute path of the file
   * @param lines at most `ORIGIN_LIMITS.fileLines`
   */
  ofFile(path: string, lines: readonly string[]): Promise<FileBlame>;
  /** The turns in which git printed that it made this commit. */
  ofCommit(hash: string): Promise<readonly LineOrigin[]>;
}

export function openOrigins(options: FileOriginsOptions): Origins {
  const work = createWork(options);
  return {
    ofFile: async (path, lines) => await blame(path, lines, work),
    async ofCommit(hash) {
      await work.searchFor(`"${hash.slice(0, 7)}"`);
      const made = work
        .commits()
        .filter(({ commit }) => commit.hash !== null && hash.startsWith(commit.hash));
      return made.map((place) => ({ ...turnOf(place), formerPath: null }));
    },
  };
}

async function blame(path: string, lines: readonly string[], work: Work): Promise<FileBlame> {
  const names = namesOf(path);
  await work.searchFor(`file:"${(path.split(/[\\/]/u).at(-1) ?? "").replaceAll('"', " ")}"`);
  let chosen: readonly PlacedEdit[] = [];
  let found = lineOrigins(lines, []);
  const compare = (): void => {
    chosen = editsOf(work.edits(), names);
    found = lineOrigins(
      lines,
      chosen.map(({ edit }) => edit),
    );
  };
  const open = (): ReadonlySet<string> =>
    new Set(
      lines.filter((text, at) => found.lines[at]?.some(({ isSame }) => isSame) !== true && isTelling(text)),
    );
  compare();
  const longest = [...open()].sort((a, b) => b.length - a.length);
  for (const text of longest.slice(0, ORIGIN_LIMITS.searchedLines)) await work.searchFor(phraseOf(text));
  const followed: string[] = [];
  while (open().size > 0 && followed.length < ORIGIN_LIMITS.formerPaths) {
    const former = formerName(work.edits(), open(), names);
    if (former === null) break;
    followed.push(former);
    names.paths.add(former);
    compare();
  }
  return toBlame({ path, lines, chosen, found, followed, names, work: work.counts() });
}

interface Names {
  readonly paths: Set<string>;
  readonly root: string;
  /** The path of the file from the root of the project. */
  readonly below: string;
}

function namesOf(path: string): Names {
  const root = rootOf(path);
  const paths = new Set([path, ...realPathOf(path)].map((one) => createPaths(null).keyOf(one)));
  return { paths, root, below: relative(root, path) };
}

function realPathOf(path: string): readonly string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

/** The nearest folder above the file that contains `.git`; if there is none, the folder of the file. */
function rootOf(path: string): string {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return dirname(path);
  }
}

/** The edits of the file, oldest first. If sessions moved the file, edits of its earlier paths are included. */
function editsOf(edits: readonly PlacedEdit[], { paths, root, below }: Names): readonly PlacedEdit[] {
  const known = new Set(paths);
  const chosen: PlacedEdit[] = [];
  for (const placed of edits.toReversed()) {
    const { keyOf } = createPaths(placed.cwd);
    const key = keyOf(placed.edit.path);
    // A worktree inside of the project has the same file at another place.
    const isInWorktree = key.startsWith(`${root}/`) && key.endsWith(`/${below}`);
    if (!known.has(key) && !isInWorktree) continue;
    if (placed.edit.movedFrom !== null) known.add(keyOf(placed.edit.movedFrom));
    chosen.push(placed);
  }
  return chosen.reverse();
}

/**
 * Finds the file that no longer exists and had the largest number of the lines whose author is unknown: at least three,
 * or half of them if this is less. `null` if there is none.
 */
function formerName(
  edits: readonly PlacedEdit[],
  open: ReadonlySet<string>,
  { paths }: Names,
): string | null {
  const had = new Map<string, Set<string>>();
  for (const { edit, cwd } of edits) {
    const key = createPaths(cwd).keyOf(edit.path);
    if (paths.has(key)) continue;
    const lines = had.get(key) ?? new Set();
    had.set(key, lines);
    for (const hunk of edit.hunks)
      for (const { sign, text } of hunk.lines) if (sign === "+" && open.has(text)) lines.add(text);
  }
  const wanted = Math.min(3, Math.ceil(open.size / 2));
  const [best] = [...had]
    .filter(([path, lines]) => lines.size >= wanted && !existsSync(path))
    .sort(([, a], [, b]) => b.size - a.size);
  return best?.[0] ?? null;
}

function phraseOf(text: string): string {
  return `"${text.replaceAll('"', " ").replace(/\s+/gu, " ").trim().slice(0, 300)}"`;
}

interface Counts {
  readonly sessions: number;
  readonly left: number;
  readonly unreadable: number;
  readonly unsearched: number;
}

/** The sessions that were found so far. Each is read only once. */
interface Work {
  searchFor(query: string): Promise<void>;
  edits(): readonly PlacedEdit[];
  commits(): readonly PlacedCommit[];
  counts(): Counts;
}

function createWork(options: FileOriginsOptions): Work {
  const { before, ...toRead } = options;
  const { places, signal } = toRead;
  const read = editsOfSessions(present({ places, signal }));
  let unsearched = 0;
  let unreadable = 0;
  return {
    async searchFor(text) {
      const query = { ...parseQuery(text, { toTime: (time) => time }), isQuestion: false };
      const found = await searchToRead(query, toRead);
      if (found.matched === "most") return;
      unsearched = Math.max(unsearched, found.unsearched);
      unreadable = Math.max(unreadable, found.unreadable);
      await read.add(found.sessions);
    },
    edits: () => read.edits().filter(({ at }) => before === undefined || at === null || at <= before),
    commits: () => read.commits(),
    counts: () => ({ ...read.counts(), unsearched, unreadable: unreadable + read.counts().unreadable }),
  };
}

interface OriginComparison {
  readonly path: string;
  readonly lines: readonly string[];
  readonly chosen: readonly PlacedEdit[];
  readonly found: ReturnType<typeof lineOrigins>;
  readonly followed: readonly string[];
  readonly names: Names;
  readonly work: Counts;
}

function toBlame({ path, lines, chosen, found, followed, names, work }: OriginComparison): FileBlame {
  const origins: LineOrigin[] = [];
  const known = new Map<string, number>();
  const originOf = (edit: number): number => {
    const placed = chosen[edit] as PlacedEdit;
    const { session, branch, turn } = placed;
    const key = JSON.stringify([session.location, branch, turn]);
    const at = known.get(key) ?? origins.length;
    if (!known.has(key)) {
      known.set(key, at);
      origins.push(toOrigin(placed, names));
    }
    return at;
  };
  const blamed = lines.map((text, at) => {
    const writers = found.lines[at] ?? [];
    const same = [...new Set(writers.filter(({ isSame }) => isSame).map(({ edit }) => originOf(edit)))];
    const earlier = new Set(writers.filter(({ isSame }) => !isSame).map(({ edit }) => originOf(edit)));
    const [origin = null, ...others] = same;
    return {
      line: at + 1,
      text,
      origin,
      others,
      earlier: [...earlier].filter((one) => !same.includes(one)),
    };
  });
  const { left, unreadable, unsearched, sessions } = work;
  return {
    path,
    lines: blamed,
    origins,
    formerPaths: followed,
    sessions,
    edits: chosen.length,
    left: { sessions: left, unreadable, unsearched, edits: found.left },
  };
}

function toOrigin(placed: PlacedEdit, { root, below }: Names): LineOrigin {
  const key = createPaths(placed.cwd).keyOf(placed.edit.path);
  const isNow = key === createPaths(null).keyOf(resolve(root, below));
  return { ...turnOf(placed), formerPath: isNow ? null : visibleLine(key) };
}

function turnOf({ session, branch, turn, messageId, at, prompt }: WorkPlace): Omit<LineOrigin, "formerPath"> {
  const { agent, sessionId, location, title } = session;
  const shown = title === null ? null : visibleLine(title);
  return { agent, sessionId, location, title: shown, branch, turn, messageId, at, prompt };
}
