/**
 * The places of opencode that hold the path of a project (1.18.34): `directory`, `path` and the project in the rows of
 * sessions. opencode itself brings the row of the project up to date at its next start in the folder. Folders in texts
 * of the conversation stay.
 */

import { existsSync } from "node:fs";
import { canonicalFolder, type Places, textField } from "@continuo/files";
import {
  type FoundSession,
  movedPath,
  type RelocatedRows,
  type Relocation,
  type RelocationPart,
  type RepositoryMarks,
} from "../kit/index.ts";
import { findSessions, rowSeen } from "./find.ts";
import { splitLocation } from "./places.ts";
import { GLOBAL, pathIn, projectOf } from "./project.ts";

export async function relocate(relocation: Relocation, places: Places): Promise<RelocationPart> {
  const sessions: FoundSession[] = [];
  const rows: RelocatedRows[] = [];
  for await (const found of findSessions(places, { subagents: "include" })) {
    const row = rowSeen(found);
    const directory = row === null ? null : textField(row, "directory");
    const moved = directory === null ? null : movedPath(canonicalFolder(directory), relocation);
    if (row === null || moved === null) continue;
    if (found.parentId === undefined) sessions.push(found);
    const project = existsSync(moved) ? await projectOf(moved) : null;
    const place = project === null ? {} : { project_id: project.id, path: pathIn(project, moved) };
    const set = Object.fromEntries(
      Object.entries({ directory: moved, ...place }).filter(([name]) => name in row),
    );
    const { path: database } = splitLocation(found.location);
    rows.push({ database, tables: [{ name: "session", column: "id", values: [found.sessionId] }], set });
  }
  return { sessions, files: [], rows };
}

/** Its row names the project. */
export async function repositoryOf(found: FoundSession): Promise<RepositoryMarks | null> {
  const projectId = textField(rowSeen(found) ?? {}, "project_id");
  return projectId === null || projectId === GLOBAL ? null : { remote: null, projectId };
}
