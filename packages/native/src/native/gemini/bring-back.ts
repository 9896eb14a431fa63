/**
 * Converts lines of another session to lines of a new one, with the `sessionId` and `projectHash` of the new one. A
 * file that is one object, as older versions wrote, is one line, which Gemini CLI 0.61.0 reads as it reads the file.
 */

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { canonicalFolder, isJson, type Json, parseJson } from "@continuo/files";
import {
  changeLines,
  type KeptRecord,
  type NewSession,
  RAW_SEPARATORS,
  type SideFile,
} from "../writing/index.ts";
import { hashOf } from "./places.ts";
import { subagentFolder } from "./subagents.ts";

/** @param projectHash of the new session's folder. */
export function bringBackLines(
  records: readonly KeptRecord[],
  session: NewSession,
  projectHash: string,
): readonly Json[] {
  const own = records.filter(({ file }) => file === undefined);
  let isFirst = true;
  const lines = own.flatMap(({ value, rawSeparators }): Json[] => {
    if (!isJson(value)) return [];
    const line = inSession(value, session.sessionId, projectHash);
    const kept = rawSeparators === undefined ? line : { ...line, [RAW_SEPARATORS]: true };
    if (!isFirst || line.sessionId === undefined || session.provenance === undefined) return [kept];
    isFirst = false;
    return [{ ...kept, continuo: session.provenance }];
  });
  // Without a current time, Gemini CLI would delete an old session at its next start.
  const lastUpdated = new Date(session.createdMs).toISOString();
  return [...lines, { $set: { lastUpdated, ...(session.title === null ? {} : { summary: session.title }) } }];
}

/**
 * Converts sub-agents of another session to sub-agents of a new one: `chats/PARENT/ID.jsonl`, or `.json` of older
 * versions. Their own ids stay.
 */
export function bringSubagent(
  location: string,
  parent: NewSession,
  sessionFile: string,
): readonly SideFile[] {
  const projectHash = hashOf(canonicalFolder(parent.cwd));
  const change = (line: Json): Json => ({
    ...line,
    ...(line.projectHash === undefined ? {} : { projectHash }),
    ...(Array.isArray(line.directories) ? { directories: [parent.cwd] } : {}),
  });
  const text = readFileSync(location, "utf8");
  const path = join(subagentFolder(sessionFile, parent.sessionId), basename(location));
  return [
    {
      how: "append",
      path,
      text: location.endsWith(".json") ? changeObject(text, change) : changeLines(text, change),
    },
  ];
}

/** A text that is not an object does not change. */
function changeObject(text: string, change: (value: Json) => Json): string {
  try {
    const value: unknown = parseJson(text);
    return isJson(value) ? JSON.stringify(change(value), null, 2) : text;
  } catch {
    return text;
  }
}

function inSession(value: Json, sessionId: string, projectHash: string): Json {
  if (isJson(value.$set)) return { ...value, $set: inSession(value.$set, sessionId, projectHash) };
  // A file of one object may lack this field, but a line needs it.
  const isHashed = value.projectHash !== undefined || Array.isArray(value.messages);
  return {
    ...value,
    ...(value.sessionId === undefined ? {} : { sessionId }),
    ...(isHashed ? { projectHash } : {}),
  };
}
