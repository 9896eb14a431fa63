/** The facts that Gemini CLI's own list takes from a file (0.61.0). */

import { readFileSync } from "node:fs";
import { isFailure } from "@continuo/core/model";
import { type FoundFile, isJson, textField } from "@continuo/files";
import { openLines } from "@continuo/files/records";
import { isResumable, kindOf, listIn, metadataIn } from "./records.ts";
import { isRewound } from "./rewound-sessions.ts";
import { openRecords, startsAsWhole } from "./source.ts";

/** The facts that the list takes from the bytes of one file. */
export interface FileListing {
  readonly hasSession: boolean;
  readonly hasProject: boolean;
  readonly isSubagent: boolean;
  /** True if the session has a message of a person or of the model. */
  readonly isTalk: boolean;
  /** A rewind removed all messages. */
  readonly isRewound: boolean;
  readonly startTime: string | null;
}

/** Returns `null` for a file that cannot be read. */
export async function readListing(
  file: FoundFile,
  signal: AbortSignal | undefined,
): Promise<FileListing | null> {
  const { path, sizeBytes } = file;
  let [hasSession, hasProject, isSubagent, isTalk] = [false, false, false, false];
  let startTime: string | null = null;
  try {
    if (startsAsWhole(path)) return await readWhole(file);
    using lines = openLines(path, sizeBytes);
    for await (const records of lines.scan(signal ? { signal } : {})) {
      for (const { value } of records) {
        if (!isJson(value)) continue;
        const kind = kindOf(value);
        // Gemini CLI does not accept a head without its project.
        const metadata = metadataIn(value, kind) ?? (kind === "unknown" ? value : null);
        hasSession ||= isText(metadata?.sessionId);
        hasProject ||= isText(metadata?.projectHash);
        isSubagent ||= metadata?.kind === "subagent";
        startTime ??= textField(metadata ?? {}, "startTime");
        const messages = kind === "message" ? [value] : (listIn(value, kind) ?? []);
        isTalk ||= messages.some((message) => isJson(message) && isResumable(message));
      }
      if (hasSession && hasProject && isTalk) break;
    }
    const isEmptied = isTalk && (await isRewound(file, signal));
    return { hasSession, hasProject, isSubagent, isTalk, isRewound: isEmptied, startTime };
  } catch (error) {
    if (!isFailure(error)) throw error;
    return null;
  }
}

/** The old format of one object, which may lack its project. */
async function readWhole({ path, sizeBytes }: Pick<FoundFile, "path" | "sizeBytes">): Promise<FileListing> {
  using source = openRecords(path, sizeBytes);
  const [records = []] = await Array.fromAsync(source.scan());
  const value = records[0]?.value;
  if (!isJson(value)) return { ...NOTHING, isTalk: WORDS.test(readFileSync(path, "utf8")) };
  const messages = Array.isArray(value.messages) ? value.messages : [];
  return {
    hasSession: isText(value.sessionId),
    hasProject: true,
    isSubagent: value.kind === "subagent",
    isTalk: messages.some((message) => isJson(message) && isResumable(message)),
    isRewound: false,
    startTime: textField(value, "startTime"),
  };
}

const NOTHING = {
  hasSession: false,
  hasProject: false,
  isSubagent: false,
  isRewound: false,
  startTime: null,
} as const;
/** Finds a message in an object that may be incomplete. */
const WORDS = /"type": ?"(?:user|gemini)"/u;

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
