/**
 * The folder below `tmp` in which Gemini CLI 0.61.0 looks for the sessions of a project: the folder that
 * `projects.json` names, if no mark in it names another owner; otherwise the first folder that is marked with the
 * project.
 */

import { join } from "node:path";
import { namesIn, type Places, readSmallFile } from "@continuo/files";
import { type GeminiFolders, geminiFolders, isHashName, ownerOf, readRegistry } from "./places.ts";

const MARK = ".project_root";

/** The path of the folder that the list of the project reads, if that is not the folder `name`; otherwise `null`. */
export function listedElsewhere(places: Places): (project: string, name: string) => string | null {
  const folders = geminiFolders(places);
  const registry = readRegistry(folders.runtime);
  const isValid = [...registry.values()].every((slug) => /^[a-z0-9-]+$/u.test(slug));
  const slugs = new Map<string, string | null>();
  return (project, name) => {
    const owner = ownerOf(project, registry);
    if (owner === null) return null;
    const slug = slugs.get(owner) ?? slugOf(owner, isValid ? registry : new Map(), folders);
    slugs.set(owner, slug);
    if (slug === null || slug === name) return null;
    const listed = join(folders.projects, slug);
    // The next start copies an older version's folder there, if nothing is in it yet.
    const isCopied = isHashName(name) && namesIn(listed).every((one) => one === MARK);
    return isCopied ? null : listed;
  };
}

/** `null` for a project that gets a folder at its next start. */
function slugOf(
  owner: string,
  registry: ReadonlyMap<string, string>,
  { runtime, projects }: GeminiFolders,
): string | null {
  const bases = [projects, join(runtime, "history")];
  const markIn = (base: string, slug: string): string | null =>
    readSmallFile(join(base, slug, MARK))?.trim() ?? null;
  const slug = registry.get(owner);
  if (slug !== undefined && bases.every((base) => (markIn(base, slug) ?? owner) === owner)) return slug;
  for (const base of bases) {
    const marked = namesIn(base)
      .toSorted()
      .find((name) => markIn(base, name) === owner);
    if (marked !== undefined) return marked;
  }
  return null;
}
