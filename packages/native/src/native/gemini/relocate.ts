/**
 * The places of Gemini CLI that hold the path of a project (0.61.0): a key of `projects.json`, `.project_root` in the
 * folders of the project below `tmp` and `history`, and its hash in the sessions. If the new folder is already a
 * project, the sessions move to its folder. The trust in the old folder is not transferred.
 */

import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { filesBelow, isJson, type Places, readJsonFile } from "@continuo/files";
import {
  type FoundSession,
  movedPath,
  type RelocatedFile,
  type Relocation,
  type RelocationPart,
} from "../kit/index.ts";
import { findSessions } from "./find.ts";
import { geminiFolders, hashOf, isHashName, ownerOf, projectOfFile, readRegistry } from "./places.ts";

export async function relocate(relocation: Relocation, places: Places): Promise<RelocationPart> {
  const { runtime, projects } = geminiFolders(places);
  const registry = readRegistry(runtime);
  const sessions: FoundSession[] = [];
  const moves = new Map<string, Move>();
  for await (const found of findSessions(places, { subagents: "include" })) {
    const project = projectOfFile(found.location);
    const owner = project === null ? null : ownerOf(project, registry);
    const to = owner === null ? null : movedPath(owner, relocation);
    if (project === null || owner === null || to === null) continue;
    if (found.parentId === undefined) sessions.push(found);
    moves.set(project, { owner, to });
  }
  const files = [...moves].flatMap(([project, move]) => {
    const known = registry.get(move.to);
    const target = known === undefined ? targetOf(project, move) : join(projects, known);
    return [...filesOf(project, target, move), ...marksOf(runtime, project, target, move)];
  });
  return { sessions, files: [...files, ...registryOf(runtime, relocation)], rows: [] };
}

interface Move {
  /** The folder that the project had. */
  readonly owner: string;
  readonly to: string;
}

/** Older versions name the folder by the hash of the path. */
function targetOf(project: string, { to }: Move): string {
  return isHashName(basename(project)) ? join(dirname(project), hashOf(to)) : project;
}

const MARK = ".project_root";

function filesOf(project: string, target: string, move: Move): readonly RelocatedFile[] {
  return filesBelow(project)
    .filter((from) => basename(from) !== MARK)
    .map((from) => {
      const to = join(target, relative(project, from));
      return /\.jsonl?$/u.test(from)
        ? { from, to, rewrite: (bytes: Buffer) => withHash(bytes, move) }
        : { from, to };
    })
    .filter(({ from, to }) => from === to || !existsSync(to));
}

/** The old and the new hash have the same length, so no other byte of the file moves. */
function withHash(bytes: Buffer, { owner, to }: Move): Buffer {
  const [before, after] = [hashOf(owner), hashOf(to)];
  const text = bytes.toString("latin1");
  return text.includes(before) ? Buffer.from(text.replaceAll(before, after), "latin1") : bytes;
}

/** The files with the owner of each folder; the file of an existing project does not change. */
function marksOf(runtime: string, project: string, target: string, { to }: Move): readonly RelocatedFile[] {
  const folders = [project, join(runtime, "history", basename(project))];
  return folders
    .map((folder) => join(folder, MARK))
    .filter((path) => existsSync(path))
    .map((from) => {
      const place = from.startsWith(project) ? join(target, MARK) : from;
      return { from, to: place, rewrite: () => Buffer.from(to) };
    })
    .filter(({ from, to: place }) => from === place || !existsSync(place));
}

function registryOf(runtime: string, relocation: Relocation): readonly RelocatedFile[] {
  const path = join(runtime, "projects.json");
  const projects = readJsonFile(path)?.projects;
  if (!isJson(projects) || !Object.keys(projects).some((key) => movedPath(key, relocation) !== null))
    return [];
  const rewrite = (bytes: Buffer): Buffer => {
    const registry = JSON.parse(bytes.toString("utf8"));
    const entries = Object.entries(registry.projects ?? {}).flatMap(([key, slug]) => {
      const moved = movedPath(key, relocation);
      return moved === null ? [[key, slug]] : projects[moved] === undefined ? [[moved, slug]] : [];
    });
    return Buffer.from(JSON.stringify({ ...registry, projects: Object.fromEntries(entries) }, null, 2));
  };
  return [{ from: path, to: path, rewrite }];
}
