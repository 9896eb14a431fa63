/**
 * Sessions that Gemini CLI's own list does not show, found only from the files (rules of 0.61.0). Gemini CLI itself is
 * never started, because its list command deletes sessions that it does not show, and those that exceed
 * `general.sessionRetention`.
 */

import { basename, dirname, join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { isFailure } from "@continuo/core/model";
import { type FoundFile, namesIn, type Places } from "@continuo/files";
import {
  type AgentVisibility,
  type FoundSession,
  type HiddenSession,
  NO_MEMO,
  type SkimMemo,
} from "../kit/index.ts";
import { type FileListing, readListing } from "./file-listing.ts";
import { findSessions, recogniseFile, sessionIdOf } from "./find.ts";
import { GEMINI_CAUSES, type GeminiCause } from "./hidden-causes.ts";
import { listedElsewhere } from "./listed-folder.ts";
import { geminiFolders, isHashName, isRecordName, isSessionName, projectOfFile } from "./places.ts";
import { type Retention, readRetention } from "./settings.ts";
import { mendHidden } from "./show-again.ts";
import { lastUpdatedOf } from "./skim-file.ts";
import { type NeighbourEnd, type SweptFolder, sweepOf } from "./sweep.ts";

export const geminiVisibility: AgentVisibility = {
  causes: GEMINI_CAUSES,
  async *hidden(places, { memo = NO_MEMO, signal }) {
    const whyDeleted = deletionRules(places, memo);
    const whereListed = listedPlaces(places);
    let looked = 0;
    for await (const found of candidates(places, signal)) {
      looked += 1;
      if (looked % SESSIONS_AT_ONCE === 0) await otherWork();
      const { reason, listed } = await whyHidden(found, (file) =>
        memo.remember(file, { what: "gemini listing 2", isBrief: true }, () => readListing(file, signal)),
      );
      if (reason !== null) yield { found, ...reason };
      const shown = listed.find(({ file }) => file.path === found.location);
      if (shown === undefined) continue;
      const folder = whereListed(found);
      if (folder !== null) {
        yield { found, ...elsewhereReason(found, folder) };
        continue;
      }
      for (const { file } of listed) {
        if (file !== shown.file)
          yield { found: { ...found, location: file.path, files: [file] }, ...OLDER_TWIN };
      }
      const deletion = await whyDeleted(found, shown);
      if (deletion !== null) yield { found, ...deletion };
    }
  },
  mend: mendHidden,
  command: () => null,
};

const SESSIONS_AT_ONCE = 32;

/**
 * The folder that the list reads in place of the session's own; `null` for the own one, and where the session is in
 * both.
 */
function listedPlaces(places: Places): (found: FoundSession) => string | null {
  const listedOf = listedElsewhere(places);
  const ids = new Map<string, ReadonlySet<string>>();
  return ({ location, sessionId }) => {
    const project = projectOfFile(location);
    const listed = project === null ? null : listedOf(project, basename(project));
    if (listed === null) return null;
    const chats = join(listed, "chats");
    const there =
      ids.get(chats) ??
      new Set(
        namesIn(chats)
          .filter(isSessionName)
          .map((name) => sessionIdOf(join(chats, name))),
      );
    ids.set(chats, there);
    return there.has(sessionId) ? null : listed;
  };
}

function elsewhereReason({ location }: FoundSession, listed: string): Reason {
  const own = basename(projectOfFile(location) ?? "");
  return {
    cause: isHashName(own) ? "older_storage" : "other_project_folder",
    detail: `It lies in ${own}, and the list reads ${basename(listed)}.`,
  };
}

/** Sessions and sub-agents come first, then files that no list treats as a session. */
async function* candidates(
  places: Places,
  signal: AbortSignal | undefined,
): AsyncGenerator<FoundSession, void, void> {
  yield* findSessions(places, { subagents: "include", ...(signal ? { signal } : {}) });
  const { projects } = geminiFolders(places);
  for (const project of namesIn(projects)) {
    const chats = join(projects, project, "chats");
    for (const name of namesIn(chats)) {
      if (!isRecordName(name) || isSessionName(name)) continue;
      const found = await recogniseFile(join(chats, name), places);
      if (found !== null) yield found;
    }
  }
}

type Reason = Pick<HiddenSession<GeminiCause>, "cause" | "detail">;

interface ListedFile {
  readonly file: FoundFile;
  readonly listing: FileListing;
}

/** A session of several files is listed by any of them. `listed` has those that the list could show. */
async function whyHidden(
  { files, parentId }: FoundSession,
  read: (file: FoundFile) => Promise<FileListing | null>,
): Promise<{ readonly reason: Reason | null; readonly listed: readonly ListedFile[] }> {
  const listed: ListedFile[] = [];
  let newest: Reason | null = null;
  let empty: Reason | null = null;
  for (const file of files) {
    const listing = await read(file);
    if (listing === null) continue;
    const isChild = parentId !== undefined || listing.isSubagent;
    const reason = isChild ? SUB_AGENT : reasonOf(basename(file.path), listing);
    if (listing.isTalk && reason === null) listed.push({ file, listing });
    else if (listing.isTalk) newest = reason;
    else if (reason === null) empty = NOTHING_RESUMABLE;
  }
  return { reason: listed.length > 0 ? null : (newest ?? empty), listed };
}

const OLDER_TWIN: Reason = { cause: "older_twin", detail: null };
const NOTHING_RESUMABLE: Reason = { cause: "nothing_resumable", detail: null };
const SUB_AGENT: Reason = { cause: "sub_agent", detail: null };

function reasonOf(name: string, { hasSession, hasProject, isRewound }: FileListing): Reason | null {
  if (!isSessionName(name)) return { cause: "file_name", detail: `The file is named ${name}.` };
  if (!hasSession) return { cause: "torn_header", detail: null };
  if (!hasProject) return { cause: "no_project_hash", detail: null };
  return isRewound ? { cause: "rewound", detail: null } : null;
}

type DeletionRules = (found: FoundSession, shown: ListedFile) => Promise<Reason | null>;

/** Reasons to delete a session before anything is listed, by the settings of a person and of each project. */
function deletionRules(places: Places, memo: SkimMemo): DeletionRules {
  const settings = new Map<string | undefined, Retention>();
  const sweeps = new Map<string, Promise<SweptFolder>>();
  const nowMs = Date.now();
  return async ({ cwd }, { file, listing }) => {
    const retention =
      settings.get(cwd) ?? readRetention(geminiFolders(places).config, cwd ?? null, places.env);
    settings.set(cwd, retention);
    if (!retention.enabled || retention.maxAgeMs === null) return null;
    const folder = dirname(file.path);
    const sweep = sweeps.get(folder) ?? sweepOf(folder, retention, memo);
    sweeps.set(folder, sweep);
    const { isBeyond, neighbourOf } = await sweep;
    if (isBeyond(file.path)) return { cause: "beyond_count", detail: `maxCount is ${retention.maxCount}.` };
    const oldestMs = nowMs - retention.maxAgeMs;
    // A session that began after that time is not old, so its end does not have to be read.
    if (listing.startTime !== null && Date.parse(listing.startTime) < oldestMs) {
      const lastUpdated = await memo.remember(file, { what: "gemini last time" }, () => lastTimeOf(file));
      if (lastUpdated !== null && Date.parse(lastUpdated) < oldestMs) {
        const day = lastUpdated.slice(0, 10);
        return { cause: "older_than_allowed", detail: `It is of ${day}, and maxAge is ${retention.maxAge}.` };
      }
    }
    const neighbour = await neighbourOf(file.path);
    return neighbour === null || neighbour.atMs > nowMs ? null : twinReason(neighbour);
  };
}

function twinReason({ path, why }: NeighbourEnd): Reason {
  const cause = why === "unlisted" ? "empty_twin" : "expired_twin";
  return { cause, detail: `${basename(path)} ends in the same eight characters.` };
}

async function lastTimeOf(file: FoundFile): Promise<string | null> {
  try {
    return await lastUpdatedOf(file);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return null;
  }
}
