/**
 * The places of Gemini CLI's files, and the folder that a file belongs to (seen in 0.61.0).
 *
 *   ~/.gemini/projects.json                    { "projects": { "/abs/folder": "slug" } }
 *   ~/.gemini/tmp/SLUG/.project_root           the absolute folder
 *   ~/.gemini/tmp/SLUG/chats/session-*.jsonl   sessions, older ones `.json`
 *   ~/.gemini/tmp/SLUG/chats/PARENT/ID.jsonl   sub-agents of the session PARENT
 *   ~/.gemini/tmp/SHA256-OF-FOLDER/chats/      the same in older versions; copied to the slug's folder on start
 */

import { createHash } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import { canonicalFolder, isJson, namesIn, type Places, readJsonFile, readSmallFile } from "@continuo/files";

export interface GeminiFolders {
  /** Settings of the user. */
  readonly config: string;
  /** The folder with `tmp/` and `projects.json`. */
  readonly runtime: string;
  readonly projects: string;
}

/** `GEMINI_CLI_HOME` replaces the home; under `SANDBOX=sandbox-exec` sessions are in `~/.cache`. */
export function geminiFolders(places: Places): GeminiFolders {
  const moved = places.env.GEMINI_CLI_HOME;
  const home = moved ? resolve(moved) : places.home;
  const config = join(home, ".gemini");
  const runtime = places.env.SANDBOX === "sandbox-exec" ? join(home, ".cache", ".gemini") : config;
  return { config, runtime, projects: join(runtime, "tmp") };
}

/** Reads `projects.json`: absolute folder and slug. */
export function readRegistry(runtime: string): ReadonlyMap<string, string> {
  const projects = readJsonFile(join(runtime, "projects.json"))?.projects;
  const registry = new Map<string, string>();
  if (!isJson(projects)) return registry;
  for (const [folder, slug] of Object.entries(projects)) {
    if (typeof slug === "string") registry.set(folder, slug);
  }
  return registry;
}

/** Names of project folders below `tmp/` that hold sessions of a working folder, for its canonical path. */
export function projectNamesOf(folders: GeminiFolders, cwd: string): string[] {
  const registry = readRegistry(folders.runtime);
  return namesIn(folders.projects).filter((name) => {
    const owner = ownerOf(join(folders.projects, name), registry);
    return owner === null ? hashOf(cwd) === name : isSameFolder(owner, cwd) || hashOf(cwd) === name;
  });
}

function isSameFolder(owner: string, cwd: string): boolean {
  return owner === cwd || canonicalFolder(owner) === cwd;
}

/** The folder that a project folder belongs to: its own mark, else the registry; `null` if neither tells. */
export function ownerOf(
  project: string,
  registry: ReadonlyMap<string, string> = readRegistry(dirname(dirname(project))),
): string | null {
  const mark = readSmallFile(join(project, ".project_root"))?.trim();
  if (mark) return mark;
  const name = basename(project);
  for (const [folder, slug] of registry) if (slug === name || hashOf(folder) === name) return folder;
  return null;
}

/** The name of a project folder in older versions. */
export function hashOf(folder: string): string {
  return createHash("sha256").update(folder).digest("hex");
}

export function isHashName(name: string): boolean {
  return /^[0-9a-f]{64}$/u.test(name);
}

/** `tmp/NAME` of a session's or a sub-agent's file; `null` if it is in no `chats` folder. */
export function projectOfFile(path: string): string | null {
  const folder = dirname(path);
  if (basename(folder) === "chats") return dirname(folder);
  return basename(dirname(folder)) === "chats" ? dirname(dirname(folder)) : null;
}

/** The id of the parent session, by the folder of a sub-agent's file. */
export function parentOfFile(path: string): string | null {
  const folder = dirname(path);
  return basename(dirname(folder)) === "chats" ? basename(folder) : null;
}

/** Files that Gemini CLI lists. */
export function isSessionName(name: string): boolean {
  return name.startsWith("session-") && isRecordName(name);
}

/** A name that is only an ending is not the name of a record. */
export function isRecordName(name: string): boolean {
  return /.\.jsonl?$/su.test(name);
}

/**
 * The eight characters by which Gemini CLI deletes files together; `null` if the name does not end in such characters.
 */
export function shortIdOf(path: string): string | null {
  return /-([a-zA-Z0-9]{8})\.jsonl?$/u.exec(basename(path))?.[1] ?? null;
}
