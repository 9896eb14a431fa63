/**
 * Asks an agent whether it shows a session, and which messages it reads: by its own list and its own reader, in a
 * private home with a copy of the session. The agent opens nothing in the person's home.
 */

import { writeFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { AGENT_LABELS, isFailure } from "@continuo/core/model";
import {
  copyDurably,
  fileOfLocation,
  gitRemoteOf,
  makeScratchFolder,
  openScratch,
  type Places,
  readOnlyDatabase,
  readSmallFile,
} from "@continuo/files";
import { formatOf } from "@continuo/native";
import type { FoundSession } from "@continuo/native/kit";
import { exportedBy, type OwnListRequest, ownListOf, witnessOf } from "../drivers/witness/index.ts";
import { type AgentPrograms, programOf } from "./verify.ts";

export type AgentAnswer =
  /** The agent's own list has the session, and the agent read this number of messages. */
  | { readonly outcome: "shown"; readonly by: string; readonly messages: number }
  /** The agent has no list that can be asked, but it read this number of messages. */
  | { readonly outcome: "read"; readonly by: string; readonly messages: number }
  | { readonly outcome: "missing"; readonly by: string }
  /** The agent could not be asked; `why` gives the reason as a clause. */
  | { readonly outcome: "unasked"; readonly why: string };

export interface AskOptions {
  readonly places: Places;
  readonly cwd: string | null;
  /** The programs of agents; those on the search path by default. */
  readonly programs?: AgentPrograms;
  readonly signal?: AbortSignal;
}

/** Never fails for a session or an agent: the reason why the agent could not be asked is also an answer. */
export async function askAgent(found: FoundSession, options: AskOptions): Promise<AgentAnswer> {
  const { places, cwd, programs, signal } = options;
  const { agent, sessionId } = found;
  const program = programOf(agent, places, programs);
  if (program === null)
    return { outcome: "unasked", why: `${AGENT_LABELS[agent]} is not on the search path` };
  try {
    using scratch = openScratch();
    const project = join(scratch.path, "project");
    makeScratchFolder(project);
    const start = { program, searchPath: places.env.PATH ?? "", scratch: scratch.path, project, signal };
    const home: Places = { home: scratch.path, env: {} };
    const file = await copyOf(found, { places, home, project, cwd });
    const cache = places.env.XDG_CACHE_HOME || join(places.home, ".cache");
    return await ask(found, {
      ...start,
      file,
      home,
      sessionId,
      cache,
      cwd,
      folder: basename(dirname(found.location)),
      provider: await providerOf(found, places),
    });
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { outcome: "unasked", why: error.message };
  }
}

async function ask({ agent }: FoundSession, asked: OwnListRequest): Promise<AgentAnswer> {
  const answer = (await ownListOf(agent)?.(asked)) ?? null;
  if (answer?.isShown === false) return { outcome: "missing", by: answer.by };
  if (agent === "opencode")
    return { outcome: "shown", by: answer?.by ?? agent, messages: await exportedBy(asked) };
  const testimony = (await (await witnessOf(agent))?.(asked)) ?? null;
  if (testimony === null) return { outcome: "unasked", why: `Continuo does not know how to ask ${agent}` };
  const { length } = testimony.depth === "all" ? testimony.history : testimony.messages;
  return answer === null
    ? { outcome: "read", by: testimony.by, messages: length }
    : { outcome: "shown", by: answer.by, messages: length };
}

interface CopyContext {
  readonly places: Places;
  /** The private home. */
  readonly home: Places;
  readonly project: string;
  readonly cwd: string | null;
}

/** Copies the session's files, or its database, and returns the path of the copy. */
async function copyOf(found: FoundSession, copying: CopyContext): Promise<string> {
  const { home, project } = copying;
  switch (found.agent) {
    case "claude": {
      const { projectFolderOf } = await import("@continuo/native/claude");
      return copyTo(found.location, join(projectFolderOf(project, home), basename(found.location)));
    }
    case "gemini":
      return copyForGemini(found, copying);
    case "opencode":
      return await copyDatabase(found, copying);
    default:
      return await copyInto(found, copying);
  }
}

function copyTo(from: string, to: string): string {
  makeScratchFolder(dirname(to));
  copyDurably(from, to);
  return to;
}

/** Copies the session's files to the same paths below the agent's folders in the private home. */
async function copyInto(
  { agent, location, files }: FoundSession,
  { places, home }: CopyContext,
): Promise<string> {
  const reader = await formatOf(agent);
  const folders = reader.folders?.(places) ?? [];
  const targets = reader.folders?.(home) ?? [];
  const placeOf = (path: string): string => {
    const at = folders.findIndex((folder) => path.startsWith(join(folder, sep)));
    return join(targets[at] ?? home.home, relative(folders[at] ?? dirname(path), path));
  };
  for (const { path } of files) copyTo(path, placeOf(path));
  return placeOf(location);
}

/** Gemini CLI lists the sessions of the folder in which it is started. */
function copyForGemini({ location }: FoundSession, { home, project }: CopyContext): string {
  const slug = "project";
  const runtime = join(home.home, ".gemini");
  const folder = join(runtime, "tmp", slug);
  makeScratchFolder(folder);
  writeFileSync(join(folder, ".project_root"), project);
  writeFileSync(join(runtime, "projects.json"), JSON.stringify({ projects: { [project]: slug } }));
  return copyTo(location, join(folder, "chats", basename(location)));
}

/**
 * Copies the present state of the database, even while opencode has it open. If the session's folder is in a
 * repository, the private folder becomes one that opencode assigns to the same project.
 */
async function copyDatabase(
  { location }: FoundSession,
  { home, project, cwd }: CopyContext,
): Promise<string> {
  const path = fileOfLocation(location);
  const copy = join(home.home, ".local", "share", "opencode", "opencode.db");
  makeScratchFolder(dirname(copy));
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(readOnlyDatabase(path), { readOnly: true });
  try {
    database.prepare("vacuum into ?").run(copy);
  } finally {
    database.close();
  }
  const { projectOf } = await import("@continuo/native/opencode");
  const own = cwd === null ? null : await projectOf(cwd);
  if (own?.isRepository === true && cwd !== null) await standIn(project, own.id, await gitRemoteOf(cwd));
  return copy;
}

async function standIn(project: string, id: string, remote: string | null): Promise<void> {
  const git = join(project, ".git");
  for (const folder of ["objects", "refs/heads"]) makeScratchFolder(join(git, folder));
  const origin = remote === null ? "" : `[remote "origin"]\n\turl = ${JSON.stringify(remote)}\n`;
  writeFileSync(join(git, "config"), `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${origin}`);
  writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(git, "opencode"), id);
}

async function providerOf({ agent }: FoundSession, places: Places): Promise<string | null> {
  if (agent !== "codex") return null;
  const { providerIn } = await import("@continuo/native/codex");
  const home = places.env.CODEX_HOME || join(places.home, ".codex");
  return providerIn(readSmallFile(join(home, "config.toml")) ?? "");
}
