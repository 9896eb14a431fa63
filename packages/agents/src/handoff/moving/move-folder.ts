/** The folder on this machine for a session that worked in a folder of another machine. */

import { isAbsolute, join, relative, sep } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { isFolder, type Places } from "@continuo/files";
import type { Offer } from "./lines.ts";

export type FolderOffer = Pick<Offer, "into" | "folder" | "home">;

/**
 * The folder that the person named, else the path of the other machine, unchanged or below the home here. Errors:
 * `usage`.
 */
export function folderOfMove({ into, folder, home }: FolderOffer, places: Places): string {
  if (into !== null) return into.startsWith("/~/") ? join(places.home, into.slice(3)) : into;
  const below = folder === null ? ".." : relative(home, folder);
  const isBelow = below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  const candidates = [folder, isBelow ? join(places.home, below) : null];
  const found = candidates.find((one) => one !== null && isFolder(one));
  if (found !== undefined && found !== null) return found;
  throw new ContinuoError("usage", `there is no folder ${folder ?? "for the session"} on this machine`, {
    hint: "Name the folder there: ssh://HOST/DIR, or ssh://HOST/~/DIR for one below the home.",
  });
}
