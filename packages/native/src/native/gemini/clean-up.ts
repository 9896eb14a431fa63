/**
 * Removes empty files after a Gemini CLI 0.61 that Continuo started has ended. Gemini CLI begins a session at each
 * start, and writes another file for a session that it resumes. These files contain only its own context, and a later
 * start deletes sessions because of them.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { isFailure } from "@continuo/core/model";
import { canonicalFolder, isJson, type Json, namesIn, type Places, statFile, toTime } from "@continuo/files";
import type { EndedProgram } from "../kit/index.ts";
import { sessionIdOf } from "./find.ts";
import { EMPTY_START_BYTES } from "./limits.ts";
import { geminiFolders, isSessionName, projectNamesOf, shortIdOf } from "./places.ts";
import { isContextMessage, kindOf, listIn, metadataIn } from "./records.ts";
import { openRecords } from "./source.ts";

export async function afterEnd(
  places: Places,
  { cwd, sessionIds, startedAtMs }: EndedProgram,
): Promise<void> {
  const folders = geminiFolders(places);
  const shortIds = new Set(sessionIds.map((id) => id.slice(0, 8)));
  for (const name of projectNamesOf(folders, canonicalFolder(cwd))) {
    const chats = join(folders.projects, name, "chats");
    for (const file of namesIn(chats).filter(isSessionName)) {
      const path = join(chats, file);
      if (!shortIds.has(shortIdOf(path) ?? "") || !sessionIds.includes(sessionIdOf(path))) continue;
      if (await isLeftEmpty(path, startedAtMs)) rmSync(path, { force: true });
    }
  }
}

/**
 * True for a session that began since then and has only messages of the program itself. Lines that cannot be read are
 * ignored.
 */
async function isLeftEmpty(path: string, sinceMs: number): Promise<boolean> {
  const file = statFile(path);
  if (file === null || file.sizeBytes > EMPTY_START_BYTES) return false;
  let begunMs: number | null = null;
  try {
    using source = openRecords(path, file.sizeBytes);
    for await (const records of source.scan()) {
      for (const { value } of records) {
        if (!isJson(value) || !isOfStart(value)) return false;
        const { startTime } = metadataIn(value, kindOf(value)) ?? {};
        begunMs ??= Date.parse(toTime(startTime) ?? "");
      }
    }
  } catch (error) {
    if (isFailure(error)) return false;
    throw error;
  }
  return begunMs !== null && begunMs >= sinceMs;
}

function isOfStart(record: Json): boolean {
  const kind = kindOf(record);
  if (kind === "message") return isContextMessage(record);
  if (metadataIn(record, kind) === null) return false;
  return (listIn(record, kind) ?? []).every((message) => isJson(message) && isContextMessage(message));
}
