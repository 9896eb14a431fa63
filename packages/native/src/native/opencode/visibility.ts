/**
 * Sessions that opencode's own list does not show, found from its database and from the folders of the sessions (rules
 * of 1.18.34, which are in `project.ts`). Sessions without messages do not count, and sessions of missing folders do
 * not count either, because nobody opens a list there. opencode 2 keeps its list in other tables, whose rules are not
 * known.
 */

import { existsSync } from "node:fs";
import { isFailure } from "@continuo/core/model";
import { canonicalFolder, type Json, textField } from "@continuo/files";
import type { AgentVisibility, FoundSession, HiddenSession, VisibilityFix } from "../kit/index.ts";
import { type Database, openDatabase } from "./database.ts";
import { findSessions, rowSeen } from "./find.ts";
import { OPENCODE_CAUSES, type OpencodeCause } from "./hidden-causes.ts";
import { splitLocation } from "./places.ts";
import { GLOBAL, type OpencodeProject, pathIn, projectOf } from "./project.ts";
import { readSchema, sessionTables } from "./schema.ts";

export const opencodeVisibility: AgentVisibility = {
  causes: OPENCODE_CAUSES,
  async *hidden(places, { signal }) {
    const projectFor = rememberedProjects();
    const speech = createSpeechCheck();
    try {
      for await (const found of findSessions(places, {
        subagents: "include",
        ...(signal ? { signal } : {}),
      })) {
        const row = rowSeen(found);
        if (row === null) continue;
        const reason = await reasonOf(found, row, projectFor);
        if (reason !== null && (await speech.isSaid(found))) yield { found, ...reason };
      }
    } finally {
      speech.close();
    }
  },
  mend: mendHidden,
  command: () => null,
};

type Reason = Pick<HiddenSession<OpencodeCause>, "cause" | "detail">;
type FindProject = (folder: string) => Promise<OpencodeProject | null>;

/** Git is asked once for each folder, and not for a missing folder. */
function rememberedProjects(): FindProject {
  const known = new Map<string, Promise<OpencodeProject | null>>();
  return async (folder) => {
    const answer = known.get(folder) ?? (existsSync(folder) ? projectOf(folder) : Promise.resolve(null));
    known.set(folder, answer);
    return await answer;
  };
}

async function reasonOf(found: FoundSession, row: Json, projectFor: FindProject): Promise<Reason | null> {
  if (found.parentId !== undefined) return { cause: "sub_agent", detail: null };
  const parent = textField(row, "parent_id");
  if (parent !== null) return { cause: "parent_gone", detail: `It was started by ${parent}.` };
  const directory = textField(row, "directory");
  const projectId = textField(row, "project_id");
  const project = directory === null ? null : await projectFor(directory);
  if (project === null || directory === null || projectId === null) return null;
  if (!isListed(projectId, directory, project)) {
    const cause = project.isRepository ? "other_project" : "git_removed";
    return { cause, detail: `It is of the project ${projectId}, and its folder is of ${project.id}.` };
  }
  const path = pathIn(project, directory);
  const own = row.path;
  if (path === "" || typeof own !== "string" || own === path || own.startsWith(`${path}/`)) return null;
  return {
    cause: "other_path",
    detail: `Its path is ${JSON.stringify(own)} instead of ${JSON.stringify(path)}.`,
  };
}

/** At its next start in the folder opencode itself brings two kinds of sessions to the project. */
function isListed(projectId: string, directory: string, project: OpencodeProject): boolean {
  if (projectId === project.id || project.id === GLOBAL) return projectId === project.id;
  if (projectId === GLOBAL) return canonicalFolder(directory) === canonicalFolder(project.worktree);
  return projectId === project.previous;
}

interface SpeechCheck {
  isSaid(found: FoundSession): Promise<boolean>;
  close(): void;
}

/** A database stays open for all of its sessions. */
function createSpeechCheck(): SpeechCheck {
  const open = new Map<string, Database | null>();
  return {
    async isSaid({ location, sessionId }) {
      const { path } = splitLocation(location);
      if (!open.has(path)) open.set(path, await openFirst(path));
      const database = open.get(path) ?? null;
      if (database === null) return false;
      const [message] = database.few("select 1 from message where session_id = ? limit 1", sessionId);
      return message !== undefined;
    },
    close() {
      for (const database of open.values()) database?.close();
    },
  };
}

/** Returns `null` for a database that cannot be read, or whose list has other rules. */
async function openFirst(path: string): Promise<Database | null> {
  try {
    const database = await openDatabase(path);
    const schema = readSchema(database);
    if (sessionTables(schema).join() === "session" && schema.message.includes("session_id")) return database;
    database.close();
  } catch (error) {
    if (!isFailure(error)) throw error;
  }
  return null;
}

/** The change; `null` if only a person can make it. */
async function mendHidden({ found, cause }: HiddenSession): Promise<VisibilityFix | null> {
  if (OPENCODE_CAUSES[cause as OpencodeCause].by !== "continuo") return null;
  const { path, sessionId } = splitLocation(found.location);
  const row = await rowOf(path, sessionId ?? found.sessionId);
  if (row === null) return null;
  const set = await changesFor(cause as OpencodeCause, row);
  if (set === null) return null;
  const steps = Object.entries(set).map(
    ([column, value]) =>
      `${column} is ${JSON.stringify(value)} instead of ${JSON.stringify(row[column] ?? null)}`,
  );
  return { of: "row", steps, database: path, table: "session", set };
}

async function changesFor(cause: OpencodeCause, row: Json): Promise<Record<string, string | null> | null> {
  const directory = textField(row, "directory") ?? "";
  const project = existsSync(directory) ? await projectOf(directory) : null;
  if (cause === "parent_gone") return { parent_id: null, ...(project && placeIn(project, row)) };
  return project && placeIn(project, row);
}

/** Returns the columns whose values differ from those of the project. */
function placeIn(project: OpencodeProject, row: Json): Record<string, string> {
  const directory = textField(row, "directory") ?? "";
  const wanted = { project_id: project.id, path: pathIn(project, directory) };
  const isThere = isListed(textField(row, "project_id") ?? "", directory, project);
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([column, value]) => column in row && row[column] !== value && !(column === "project_id" && isThere),
    ),
  );
}

async function rowOf(path: string, sessionId: string): Promise<Json | null> {
  const database = await openDatabase(path);
  try {
    return database.few("select * from session where id = ?", sessionId)[0] ?? null;
  } finally {
    database.close();
  }
}
