/** The least change after which Gemini CLI's own list shows a session. Nothing is written here. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { type Places, textField } from "@continuo/files";
import { toReadError } from "@continuo/files/records";
import type { HiddenSession, Mending } from "../kit/index.ts";
import { bytesOf, draftOf, editsOf, remainingLines } from "../repairing/index.ts";
import { makersOfNow } from "../writing/index.ts";
import { GEMINI_CAUSES, type GeminiCause } from "./hidden-causes.ts";
import { geminiFolders, ownerOf, projectOfFile, readRegistry } from "./places.ts";
import { kindOf, metadataIn } from "./records.ts";
import { geminiRepairer } from "./repair.ts";

/** A change holds the file as a whole. */
const MAX_MENDED_BYTES: number = 512 * 1024 * 1024;

/** `null` for what only a person can change. Errors: `unreadable`, `too_large`, `conflict` where another session has the place. */
export async function mendHidden({ found, cause }: HiddenSession, places: Places): Promise<Mending | null> {
  if (GEMINI_CAUSES[cause as GeminiCause].by !== "continuo") return null;
  const from = found.location;
  const bytes = readWhole(from);
  const draft = draftOf(bytes);
  if (cause === "file_name") {
    const to = join(dirname(from), listedName(found.sessionId, startOf(bytes)));
    if (existsSync(to)) throw new ContinuoError("conflict", `cannot bring ${from} back: ${to} exists`);
    return { steps: [`name the file ${to}`], from, to, bytes, beside: [] };
  }
  const project = projectOfFile(from);
  const cwd = project === null ? null : ownerOf(project, readRegistry(geminiFolders(places).runtime));
  geminiRepairer.mend(draft, { sessionId: found.sessionId, cwd, makers: makersOfNow() });
  const steps = [...new Set(editsOf(draft).map(({ reason }) => reason))];
  return steps.length === 0 ? null : { steps, from, to: from, bytes: bytesOf(draft), beside: [] };
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

function readWhole(path: string): Buffer {
  try {
    const bytes = readFileSync(path);
    if (bytes.length <= MAX_MENDED_BYTES) return bytes;
  } catch (cause) {
    throw toReadError(path, cause);
  }
  throw new ContinuoError("too_large", `${path} is larger than ${MAX_MENDED_BYTES} bytes`);
}
