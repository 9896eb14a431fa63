/**
 * Sessions that Gemini CLI's own list does not show, found from the files alone (rules of 0.61.0). It is never asked: its
 * list deletes what it does not show. A session in which nothing is said is not missed.
 */

import { basename, join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { isFailure } from "@continuo/core/model";
import { type FoundFile, isJson, namesIn, type Places } from "@continuo/files";
import { openLines } from "@continuo/files/records";
import { type AgentVisibility, type FoundSession, type HiddenSession, NO_MEMO } from "../kit/index.ts";
import { findSessions, recogniseFile } from "./find.ts";
import { GEMINI_CAUSES, type GeminiCause } from "./hidden-causes.ts";
import { geminiFolders, isRecordName, isSessionName } from "./places.ts";
import { isResumable, kindOf, listIn, metadataIn } from "./records.ts";
import { mendHidden } from "./show-again.ts";
import { startsAsWhole } from "./source.ts";

export const geminiVisibility: AgentVisibility = {
  causes: GEMINI_CAUSES,
  async *hidden(places, { memo = NO_MEMO, signal }) {
    let looked = 0;
    for await (const found of candidates(places, signal)) {
      looked += 1;
      if (looked % SESSIONS_AT_ONCE === 0) await otherWork();
      const reason = await whyHidden(found, (file) =>
        memo.remember(file, { what: "gemini own list", isBrief: true }, () => readListing(file, signal)),
      );
      if (reason !== null) yield { found, ...reason };
    }
  },
  mend: mendHidden,
  command: () => null,
};

const SESSIONS_AT_ONCE = 32;

/** Sessions and sub-agents first, then files that no list takes for one. */
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

/** The facts that the list takes from the bytes of one file. */
interface FileListing {
  readonly hasSession: boolean;
  readonly hasProject: boolean;
  readonly isSubagent: boolean;
}

/** A session of several files is listed by any of them. */
async function whyHidden(
  { files, parentId }: FoundSession,
  read: (file: FoundFile) => Promise<FileListing | null>,
): Promise<Reason | null> {
  let newest: Reason | null = null;
  for (const file of files) {
    const listing = await read(file);
    if (listing === null) continue;
    const isChild = parentId !== undefined || listing.isSubagent;
    const reason = isChild ? SUB_AGENT : reasonOf(basename(file.path), listing);
    if (reason === null) return null;
    newest = reason;
  }
  return newest;
}

const SUB_AGENT: Reason = { cause: "sub_agent", detail: null };

function reasonOf(name: string, { hasSession, hasProject }: FileListing): Reason | null {
  if (!isSessionName(name)) return { cause: "file_name", detail: `The file is named ${name}.` };
  if (!hasSession) return { cause: "torn_header", detail: null };
  return hasProject ? null : { cause: "no_project_hash", detail: null };
}

/** `null` for a file in which nothing is said, that cannot be read, or that has the old format of one object. */
async function readListing(
  { path, sizeBytes }: FoundFile,
  signal: AbortSignal | undefined,
): Promise<FileListing | null> {
  let [hasSession, hasProject, isSubagent, isTalk] = [false, false, false, false];
  try {
    if (startsAsWhole(path)) return null;
    using lines = openLines(path, sizeBytes);
    for await (const records of lines.scan(signal ? { signal } : {})) {
      for (const { value } of records) {
        if (!isJson(value)) continue;
        const kind = kindOf(value);
        // A head that lacks its project is none for Gemini CLI.
        const metadata = metadataIn(value, kind) ?? (kind === "unknown" ? value : null);
        hasSession ||= isText(metadata?.sessionId);
        hasProject ||= isText(metadata?.projectHash);
        isSubagent ||= metadata?.kind === "subagent";
        const messages = kind === "message" ? [value] : (listIn(value, kind) ?? []);
        isTalk ||= messages.some((message) => isJson(message) && isResumable(message));
      }
      if (hasSession && hasProject && isTalk) break;
    }
  } catch (error) {
    if (!isFailure(error)) throw error;
    return null;
  }
  return isTalk ? { hasSession, hasProject, isSubagent } : null;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
