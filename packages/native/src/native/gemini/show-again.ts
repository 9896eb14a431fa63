/** The least change after which Gemini CLI's own list shows a session. Nothing is written here. */

import { dirname, join } from "node:path";
import { type Places, textField } from "@continuo/files";
import type { HiddenSession, Mending } from "../kit/index.ts";
import { draftOf, readToMend, refuseTakenPlace, remainingLines, repaired } from "../repairing/index.ts";
import { makersOfNow } from "../writing/index.ts";
import { GEMINI_CAUSES, type GeminiCause } from "./hidden-causes.ts";
import { geminiFolders, ownerOf, projectOfFile, readRegistry } from "./places.ts";
import { kindOf, metadataIn } from "./records.ts";
import { geminiRepairer } from "./repair.ts";

/** `null` for what only a person can change. Errors: `unreadable`, `too_large`, `conflict` where another session has the place. */
export async function mendHidden({ found, cause }: HiddenSession, places: Places): Promise<Mending | null> {
  if (GEMINI_CAUSES[cause as GeminiCause].by !== "continuo") return null;
  const from = found.location;
  const bytes = readToMend(from);
  if (cause === "file_name") {
    const to = join(dirname(from), listedName(found.sessionId, startOf(bytes)));
    refuseTakenPlace(from, to);
    return { of: "file", steps: [`name the file ${to}`], from, to, bytes, beside: [] };
  }
  const project = projectOfFile(from);
  const cwd = project === null ? null : ownerOf(project, readRegistry(geminiFolders(places).runtime));
  const mended = repaired(geminiRepairer, bytes, { sessionId: found.sessionId, cwd, makers: makersOfNow() });
  return mended && { of: "file", ...mended, from, to: from, beside: [] };
}

/** With the whole id: files that end in its first eight characters are deleted together. */
function listedName(sessionId: string, startTime: string): string {
  return `session-${startTime.slice(0, 16).replace(":", "-")}-${sessionId}.jsonl`;
}

function startOf(bytes: Buffer): string {
  const times = remainingLines(draftOf(bytes)).map(({ value }) =>
    textField(metadataIn(value, kindOf(value)) ?? value, "startTime"),
  );
  return times.find((time) => time !== null) ?? new Date(0).toISOString();
}
