/**
 * Changes the path of a project in the files of Claude Code (2.1.332). The path is in the name of the project's folder
 * below `projects`, `cwd` of each record of a session and of its sub-agents, `project` in `history.jsonl`, and a key of
 * `.claude.json`. Records that quote the path in their text keep it.
 */

import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { filesBelow, isJson, namesIn, type Places, readJsonFile } from "@continuo/files";
import {
  type FoundSession,
  movedPath,
  type PathKeys,
  type RelocatedFile,
  type Relocation,
  type RelocationPart,
  withMovedPaths,
} from "../kit/index.ts";
import { findSessions } from "./find.ts";
import { claudeFolders, MAX_NAME_CHARS, projectNameOf } from "./places.ts";
import { skimSession } from "./skim.ts";

const CWD: readonly PathKeys[] = [["cwd"]];
const PROJECT: readonly PathKeys[] = [["project"]];

export async function relocate(relocation: Relocation, places: Places): Promise<RelocationPart> {
  const { projects, config, forcedProject } = claudeFolders(places);
  const prefix = projectNameOf(relocation.from).slice(0, MAX_NAME_CHARS);
  const sessions: FoundSession[] = [];
  const targets = new Map<string, string>();
  const staying = new Set<string>();
  for await (const found of findSessions(places, {})) {
    const folder = dirname(found.location);
    if (forcedProject === null && !basename(folder).startsWith(prefix)) continue;
    const { cwd } = await skimSession(found, { part: "ends" });
    const moved = cwd === null ? null : movedPath(cwd, relocation);
    if (moved === null || cwd === null) {
      staying.add(folder);
      continue;
    }
    sessions.push(found);
    if (targets.has(folder)) continue;
    const isNamed = basename(folder) === projectNameOf(cwd);
    const root = isNamed ? moved : relocation.to;
    targets.set(folder, forcedProject === null ? join(projects, projectNameOf(root)) : folder);
  }
  const files: RelocatedFile[] = [];
  for (const found of sessions) files.push(...filesOf(found, targets, relocation));
  // The other files of a project's folder, such as its memory, move only if none of its sessions stays.
  for (const [folder, target] of targets) {
    if (staying.has(folder) || folder === target) continue;
    files.push(...notesOf(folder, target, new Set(files.map(({ from }) => from))));
  }
  files.push(...linesOf(join(config, "history.jsonl"), PROJECT, relocation));
  files.push(...settingsOf(places, relocation));
  return { sessions, files, rows: [] };
}

/** Returns the file of the session, and the files in the folder next to it. */
function filesOf(
  { location }: FoundSession,
  targets: ReadonlyMap<string, string>,
  relocation: Relocation,
): readonly RelocatedFile[] {
  const folder = dirname(location);
  const target = targets.get(folder) ?? folder;
  const beside = location.replace(/\.jsonl$/u, "");
  const all = [location, ...(existsSync(beside) ? filesBelow(beside) : [])];
  return all.map((from) => {
    const to = join(target, relative(folder, from));
    return from.endsWith(".jsonl")
      ? { from, to, rewrite: (bytes) => withMovedPaths(bytes, CWD, relocation) }
      : { from, to };
  });
}

function notesOf(folder: string, target: string, known: ReadonlySet<string>): readonly RelocatedFile[] {
  return namesIn(folder)
    .flatMap((name) => filesBelow(join(folder, name)))
    .filter((path) => !known.has(path))
    .map((from) => ({ from, to: join(target, relative(folder, from)) }))
    .filter(({ to }) => !existsSync(to));
}

function linesOf(path: string, keys: readonly PathKeys[], relocation: Relocation): readonly RelocatedFile[] {
  if (!existsSync(path)) return [];
  return [{ from: path, to: path, rewrite: (bytes) => withMovedPaths(bytes, keys, relocation) }];
}

/** Moves the person's settings of the project. If the new folder already has settings, they do not change. */
function settingsOf({ home, env }: Places, relocation: Relocation): readonly RelocatedFile[] {
  const path = join(env.CLAUDE_CONFIG_DIR || home, ".claude.json");
  const projects = readJsonFile(path)?.projects;
  if (!isJson(projects)) return [];
  const keys = Object.keys(projects).filter((key) => {
    const moved = movedPath(key, relocation);
    return moved !== null && projects[moved] === undefined;
  });
  if (keys.length === 0) return [];
  const rewrite = (bytes: Buffer): Buffer => {
    const settings = JSON.parse(bytes.toString("utf8"));
    const entries = Object.entries(settings.projects ?? {}).map(([key, value]) => [
      keys.includes(key) ? movedPath(key, relocation) : key,
      value,
    ]);
    return Buffer.from(JSON.stringify({ ...settings, projects: Object.fromEntries(entries) }, null, 2));
  };
  return [{ from: path, to: path, rewrite }];
}
