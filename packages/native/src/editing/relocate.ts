/**
 * Relocates a project to another folder: every place that contains its path is changed, for all agents, in one change
 * that a single restoration from the trash undoes byte for byte.
 */

import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { AGENT_LABELS, type AgentName, ContinuoError, type SessionInfo } from "@continuo/core/model";
import {
  canonicalFolder,
  isFolder,
  type Places,
  placesOfThisUser,
  programsIn,
  type WriterLock,
} from "@continuo/files";
import { formatOf, READABLE_AGENTS } from "../native/index.ts";
import {
  type FoundSession,
  NOTHING_RELOCATED,
  type RelocatedFile,
  type Relocation,
  type RelocationPart,
} from "../native/kit/index.ts";
import { readToMend } from "../native/repairing/index.ts";
import { lockNative } from "../native/writing/index.ts";
import { refuseOpen } from "./live.ts";
import { settleUnfinished } from "./locking/index.ts";
import { moveToTrash, restoreFromTrash } from "./trash/index.ts";

export interface RelocateOptions {
  /** The environment of this user by default. */
  readonly places?: Places;
  /** All agents that Continuo reads by default. */
  readonly agents?: readonly AgentName[];
  /** Nothing is written by default. */
  readonly write?: "in place";
  readonly signal?: AbortSignal;
}

export interface RelocatedProject extends Relocation {
  readonly agents: readonly RelocatedAgent[];
  /** The id for `restoreNativeSession`, which undoes the whole change; `null` if nothing was written. */
  readonly trashId: string | null;
}

export interface RelocatedAgent {
  readonly agent: AgentName;
  readonly sessionIds: readonly string[];
  /** The files that are moved, and those that stay in place with other bytes. */
  readonly moved: number;
  readonly changed: number;
  readonly rows: number;
  /** Sessions that keep the old path, because their files are damaged. */
  readonly leftOut: readonly string[];
}

interface AgentPart extends RelocationPart {
  readonly agent: AgentName;
}

/**
 * Errors: `invalid` for unsuitable folders, `not_found` if the new folder does not exist or no session names the old
 * one, `session_live` while an agent is open in one of them, `conflict`, `busy`, `unsupported`, `unwritable`;
 * `verification_failed` if a session would not be found in the new folder. Nothing has changed then.
 */
export async function relocateProject(
  from: string,
  to: string,
  options: RelocateOptions = {},
): Promise<RelocatedProject> {
  const places = options.places ?? placesOfThisUser();
  const relocation = checked(from, to);
  if (options.write !== undefined) await settleUnfinished({ places, signal: options.signal });
  const parts: AgentPart[] = [];
  for (const agent of options.agents ?? READABLE_AGENTS) {
    options.signal?.throwIfAborted();
    const relocate = await (await formatOf(agent)).relocate?.();
    const part = (await relocate?.(relocation, places)) ?? NOTHING_RELOCATED;
    parts.push({ agent, ...part, files: part.files.filter(isChanged) });
  }
  const agents = parts.filter(({ sessions }) => sessions.length > 0).map(toAgent);
  if (agents.length === 0) {
    throw new ContinuoError("not_found", `no session names the folder ${relocation.from}`, {
      hint: "Run `continuo list --json` to see the folders of all sessions.",
    });
  }
  const planned = { ...relocation, agents, trashId: null };
  if (options.write === undefined) return planned;
  const locks: WriterLock[] = [];
  try {
    for (const { agent, sessions } of parts) {
      for (const { sessionId } of sessions) locks.push(await lockNative({ agent, sessionId, places }));
    }
    await refuseRunning(parts, relocation);
    return { ...planned, trashId: await change(parts, relocation, places) };
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** Errors: `invalid`, `not_found` for a new folder that does not exist. */
function checked(from: string, to: string): Relocation {
  for (const path of [from, to]) {
    if (!isAbsolute(path)) throw new ContinuoError("invalid", `${path} is not an absolute path`);
  }
  const relocation = { from: canonicalFolder(resolve(from)), to: canonicalFolder(resolve(to)) };
  if (!isFolder(relocation.to)) {
    throw new ContinuoError("not_found", `there is no folder ${relocation.to}`, {
      hint: "Name the folder where the project is now.",
    });
  }
  const [old, fresh] = [join(relocation.from, sep), join(relocation.to, sep)];
  if (old === fresh || old.startsWith(fresh) || fresh.startsWith(old)) {
    throw new ContinuoError(
      "invalid",
      `one of the folders ${relocation.from} and ${relocation.to} contains the other`,
    );
  }
  return relocation;
}

function isChanged({ from, to, rewrite }: RelocatedFile): boolean {
  return from !== to || (rewrite !== undefined && !rewrite(readToMend(from)).equals(readToMend(from)));
}

function toAgent({ agent, sessions, files, rows, leftOut = [] }: AgentPart): RelocatedAgent {
  const moved = files.filter(({ from, to }) => from !== to).length;
  return {
    agent,
    sessionIds: sessions.map(({ sessionId }) => sessionId),
    moved,
    changed: files.length - moved,
    rows: rows.reduce(
      (sum, { tables }) => sum + tables.reduce((all, { values }) => all + values.length, 0),
      0,
    ),
    leftOut: leftOut.map(({ sessionId }) => sessionId),
  };
}

/** An agent holds the path in its memory as long as it runs, and would write it again. Errors: `session_live`. */
async function refuseRunning(parts: readonly AgentPart[], { from, to }: Relocation): Promise<void> {
  for (const { agent, sessions } of parts) {
    if (sessions.length === 0) continue;
    for (const folder of [from, to]) {
      const [program] = programsIn(folder, agent) ?? [];
      if (program === undefined) continue;
      throw new ContinuoError(
        "session_live",
        `${AGENT_LABELS[agent]} is running in ${folder} (process ${program.pid})`,
        { hint: "Close it first; nothing was changed." },
      );
    }
    const reader = await formatOf(agent);
    for (const found of sessions) await refuseOpen({ reader, found });
  }
}

/** Returns the trash id. */
async function change(parts: readonly AgentPart[], relocation: Relocation, places: Places): Promise<string> {
  const [first] = parts.filter(({ sessions }) => sessions.length > 0);
  const [found] = first?.sessions ?? [];
  if (first === undefined || found === undefined) throw new Error("there is nothing to relocate");
  const files = parts.flatMap((part) => part.files);
  const sessions = parts.flatMap((part) => part.sessions);
  const info = await infoFor(found, sessions.length, relocation);
  const plan = {
    type: "files",
    paths: files.map(({ from }) => from),
    indexLines: [],
    indexRows: parts.flatMap(({ rows }) => rows),
    forks: [],
  } as const;
  const exchanged = files.map(({ from, to, rewrite }) =>
    rewrite === undefined ? { path: to, copyOf: from } : { path: to, make: keptRewrite(from, rewrite) },
  );
  const options = { places, now: new Date(), replacement: { exchanged } };
  const { trashId } = await moveToTrash({ ...found, live: null }, info, plan, options);
  const missing = await missingIn(parts, relocation, places);
  if (missing !== null) {
    await restoreFromTrash(trashId, { places, now: new Date(), force: false });
    throw new ContinuoError(
      "verification_failed",
      `the project cannot be relocated: ${missing} would not be found in ${relocation.to}; nothing was changed`,
    );
  }
  await removeEmptied(parts, places);
  return trashId;
}

/** The bytes of the old file are read first, because it is gone when the replacement of a row is computed. */
function keptRewrite(from: string, rewrite: (bytes: Buffer) => Buffer): () => Uint8Array {
  return () => rewrite(readToMend(from));
}

/** The row for the list of the trash. */
async function infoFor(found: FoundSession, count: number, { from, to }: Relocation): Promise<SessionInfo> {
  const row = await (await formatOf(found.agent)).skim(found, { part: "ends" });
  const sessions = count === 1 ? "1 session" : `${count} sessions`;
  return { ...row, title: `Relocated ${from} to ${to}, ${sessions}` };
}

/** The name of a session that its agent's reader does not find below the new folder; `null` for none. */
async function missingIn(
  parts: readonly AgentPart[],
  { from }: Relocation,
  places: Places,
): Promise<string | null> {
  for (const { agent, sessions } of parts) {
    if (sessions.length === 0) continue;
    const reader = await formatOf(agent);
    const there = new Set<string>();
    for await (const found of reader.find(places, {})) {
      const { cwd } = await reader.skim(found, { part: "ends" });
      const isOld = cwd === from || cwd?.startsWith(join(from, sep)) === true;
      if (!isOld) there.add(found.sessionId);
    }
    const missing = sessions.find(({ sessionId }) => !there.has(sessionId));
    if (missing !== undefined) return `${agent}:${missing.sessionId}`;
  }
  return null;
}

/** Removes the agents' folders that became empty. */
async function removeEmptied(parts: readonly AgentPart[], places: Places): Promise<void> {
  for (const { agent, files } of parts) {
    const roots = (await formatOf(agent)).folders?.(places) ?? [];
    for (const { from, to } of files) if (from !== to) removeEmpty(dirname(from), roots);
  }
}

function removeEmpty(folder: string, roots: readonly string[]): void {
  if (!roots.some((root) => folder.startsWith(join(root, sep)))) return;
  if (!existsSync(folder) || readdirSync(folder).length > 0) return;
  rmdirSync(folder);
  removeEmpty(dirname(folder), roots);
}
