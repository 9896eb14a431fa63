/** The places of pi that hold the path of a project (1.6.0): the name of the folder of its sessions, and `cwd` of their headers. */

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Places } from "@continuo/files";
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
import { folderNameOf, piFolders } from "./places.ts";
import { skimSession } from "./skim.ts";

const CWD: readonly PathKeys[] = [["cwd"]];

export async function relocate(relocation: Relocation, places: Places): Promise<RelocationPart> {
  const { sessions: root } = piFolders(places);
  const sessions: FoundSession[] = [];
  const files: RelocatedFile[] = [];
  for await (const found of findSessions(places, {})) {
    const { cwd } = await skimSession(found, { part: "ends" });
    const moved = cwd === null ? null : movedPath(cwd, relocation);
    if (moved === null) continue;
    sessions.push(found);
    const from = found.location;
    // In a folder that the person chose, sessions of all projects are next to each other.
    const isInProject = dirname(dirname(from)) === root && existsSync(from);
    const to = isInProject ? join(root, folderNameOf(moved), basename(from)) : from;
    files.push({ from, to, rewrite: (bytes) => withMovedPaths(bytes, CWD, relocation) });
  }
  return { sessions, files, rows: [] };
}
