/**
 * The row of a session: what the list shows.
 *
 * | field | rule |
 * |---|---|
 * | title | `title`, the person's or the agent's (it does not tell which), else the first thing the person typed |
 * | cwd | `directory` |
 * | gitBranch | that of the session's workspace, where it has one |
 * | createdAt, updatedAt | `time_created`, `time_updated` |
 * | sizeBytes | `data` of its messages and parts; of an export, the file |
 */

import type { Problem, SessionInfo } from "@continuo/core/model";
import { type Json, textField } from "@continuo/files";
import { type FoundSession, toTitle } from "../kit/index.ts";
import { isDefaultTitle, timeOfMs, typedText } from "./records.ts";
import { readAll, readParts, type SessionSource } from "./source.ts";

/** The sources of a row in addition to the session's own record. */
export interface RowSources {
  readonly typed: string | null;
  readonly gitBranch: string | null;
  readonly sizeBytes: number;
}

export const NOTHING_BESIDE: RowSources = { typed: null, gitBranch: null, sizeBytes: 0 };

export function toRow(
  found: FoundSession,
  session: Json,
  beside: RowSources,
  problems: readonly Problem[],
): SessionInfo {
  const title = ownTitle(session);
  return {
    agent: "opencode",
    sessionId: found.sessionId,
    location: found.location,
    cwd: textField(session, "directory") || null,
    title: title ?? toTitle(beside.typed),
    gitBranch: beside.gitBranch,
    createdAt: timeOfMs(session.time_created),
    updatedAt: timeOfMs(session.time_updated) ?? mtimeOf(found),
    sizeBytes: beside.sizeBytes,
    archived: found.archived,
    live: found.live,
    problems: [...found.problems, ...problems],
  };
}

/** A session's own title; `null` if opencode has not given it one yet. */
export function ownTitle(session: Json): string | null {
  const title = textField(session, "title");
  return title === null || isDefaultTitle(title) ? null : toTitle(title);
}

/** Reads messages only if the session has no title of its own. */
export function readBeside(source: SessionSource, session: Json): RowSources {
  return {
    typed: ownTitle(session) === null ? firstTyped(source) : null,
    gitBranch: source.gitBranch(),
    sizeBytes: source.sizeBytes(),
  };
}

export function emptyProblem(): Problem {
  return { code: "empty", line: null, message: "no message is in the session" };
}

function firstTyped(source: SessionSource): string | null {
  for (const message of readAll(
    () => source.messages("oldest"),
    () => undefined,
  )) {
    const typed =
      message.data?.role === "user"
        ? typedText(
            message,
            readParts(source, message, () => undefined),
          )
        : null;
    if (toTitle(typed) !== null) return typed;
  }
  return null;
}

function mtimeOf(found: FoundSession): string | null {
  return timeOfMs(found.files.at(-1)?.mtimeMs);
}
