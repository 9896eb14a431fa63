/** The smallest change after which Gemini CLI's own list shows a session. Nothing is written here. */

import { existsSync } from "node:fs";
import { basename, dirname, extname, join, relative } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { isJson, type Places, parseJson, textField } from "@continuo/files";
import type { FileFix, FoundSession, HiddenSession, VisibilityFix } from "../kit/index.ts";
import {
  draftOf,
  type NativeRepairer,
  readToMend,
  refuseTakenPlace,
  remainingLines,
  repaired,
} from "../repairing/index.ts";
import { makersOfNow, toLines } from "../writing/index.ts";
import { GEMINI_CAUSES, type GeminiCause } from "./hidden-causes.ts";
import { listedElsewhere } from "./listed-folder.ts";
import { ownName } from "./names.ts";
import { geminiFolders, ownerOf, parentOfFile, projectOfFile, readRegistry } from "./places.ts";
import { kindOf, metadataIn } from "./records.ts";
import { geminiRepairer } from "./repair.ts";
import { renewedValue } from "./retention.ts";
import { dropEmptyingRewinds } from "./rewound-sessions.ts";
import { readRetention } from "./settings.ts";
import { startsAsWhole } from "./source.ts";
import { type SweptFolder, sweepOf } from "./sweep.ts";
import { foldersBeside } from "./trash-plan.ts";

/** The change; `null` if only a person can make it. Errors: `unreadable`, `too_large`, `conflict` if another session has the place. */
export async function mendHidden(
  { found, cause }: HiddenSession,
  places: Places,
): Promise<VisibilityFix | null> {
  if (GEMINI_CAUSES[cause as GeminiCause].by !== "continuo") return null;
  const from = found.location;
  const shown = shownAgain({ found, cause: cause as GeminiCause, places, bytes: readToMend(from) });
  const missing = { found, cause: cause as GeminiCause, places };
  const mending = shown === null ? null : await kept(moved(shown, missing), missing);
  if (mending === null || mending.steps.length === 0) return null;
  if (mending.to !== from) refuseTakenPlace(from, mending.to);
  return mending;
}

interface ShowAgainContext {
  readonly found: FoundSession;
  readonly cause: GeminiCause;
  readonly places: Places;
}

interface ShowAgainInput extends ShowAgainContext {
  readonly bytes: Buffer;
}

/** Causes of sessions whose files are not damaged. */
const SOUND: readonly GeminiCause[] = [
  "older_than_allowed",
  "empty_twin",
  "expired_twin",
  "other_project_folder",
  "older_storage",
];
/** Causes of sessions that the sweep already counts among the newest. */
const COUNTED: readonly GeminiCause[] = ["empty_twin", "expired_twin"];

function shownAgain({ found, cause, places, bytes }: ShowAgainInput): FileFix | null {
  const from = found.location;
  const unchanged = { of: "file", from, to: from, bytes, beside: [], steps: [] } as const;
  if (SOUND.includes(cause)) return unchanged;
  if (cause === "file_name") {
    const to = join(dirname(from), listedName(found.sessionId, startOf(bytes), extname(from)));
    return { ...unchanged, steps: [`name the file ${to}`], to };
  }
  const project = projectOfFile(from);
  const cwd = project === null ? null : ownerOf(project, readRegistry(geminiFolders(places).runtime));
  // The repairer works by lines.
  if (startsAsWhole(from)) return null;
  const repairer = cause === "rewound" ? LISTED : geminiRepairer;
  const mended = repaired(repairer, bytes, { sessionId: found.sessionId, cwd, makers: makersOfNow() });
  return mended && { ...unchanged, ...mended };
}

/** Also removes rewinds that leave no message: Gemini CLI resumes such a session, but its list does not show it. */
const LISTED: NativeRepairer = {
  ...geminiRepairer,
  mend(draft, context) {
    geminiRepairer.mend(draft, context);
    dropEmptyingRewinds(draft);
  },
};

/**
 * Before it shows anything, the list deletes old sessions, and sessions whose names have the same ending as a deleted
 * file.
 */
async function kept(mending: FileFix, { found, cause, places }: ShowAgainContext): Promise<FileFix> {
  const retention = readRetention(geminiFolders(places).config, found.cwd ?? null, places.env);
  const { maxAgeMs, maxAge, maxCount, enabled } = retention;
  if (!enabled || maxAgeMs === null) return mending;
  const now = new Date();
  const sweep = await sweepOf(dirname(mending.to), retention);
  if (maxCount !== null && !COUNTED.includes(cause)) refuseToPushOut(found, { sweep, maxCount, now });
  const steps = [...mending.steps];
  let { bytes, to } = mending;
  const isWhole = startsAsWhole(found.location);
  const lastTime = isWhole ? wholeTime(bytes) : timesIn(bytes, "lastUpdated").at(-1);
  if (lastTime !== undefined && Date.parse(lastTime) < now.getTime() - maxAgeMs) {
    const lastUpdated = now.toISOString();
    bytes = isWhole ? renewedValue(bytes, lastUpdated) : withLine(bytes, lastUpdated);
    const how = isWhole ? "write the time of now" : "add a line";
    steps.push(`${how}: the session is of today, because general.sessionRetention.maxAge is ${maxAge}`);
  }
  const neighbour = await sweep.neighbourOf(to);
  if (neighbour !== null && neighbour.atMs <= now.getTime()) {
    to = ownName(to, found.sessionId);
    steps.push(`name the file ${to}`);
  }
  return { ...mending, steps, bytes, to };
}

/** The list reads another folder, so the session moves there with all its files. */
function moved(mending: FileFix, { found, places }: ShowAgainContext): FileFix {
  const project = projectOfFile(found.location);
  const listed = project === null ? null : listedElsewhere(places)(project, basename(project));
  if (project === null || listed === null || parentOfFile(found.location) !== null) return mending;
  const to = join(listed, "chats", basename(mending.to));
  const beside = foldersBeside(dirname(found.location), found.sessionId)
    .map((from) => ({ from, to: join(listed, relative(project, from)) }))
    .filter((one) => existsSync(one.from) && !existsSync(one.to));
  return { ...mending, to, beside, steps: [...mending.steps, `move the file to ${to}`] };
}

function withLine(bytes: Buffer, lastUpdated: string): Buffer {
  const line = toLines([{ $set: { lastUpdated } }]);
  return Buffer.concat([bytes, Buffer.from(`${bytes.at(-1) === 0x0a ? "" : "\n"}${line}`)]);
}

/** The time of a file of one object. */
function wholeTime(bytes: Buffer): string | undefined {
  try {
    const value = parseJson(bytes.toString("utf8"));
    return isJson(value)
      ? (textField(value, "lastUpdated") ?? textField(value, "startTime") ?? undefined)
      : undefined;
  } catch {
    return undefined;
  }
}

interface Room {
  readonly sweep: SweptFolder;
  readonly maxCount: number;
  readonly now: Date;
}

/** Errors: `conflict` if the list would delete another session in place of this one. */
function refuseToPushOut({ location }: FoundSession, { sweep, maxCount, now }: Room): void {
  const others = sweep.kept(now.getTime()).filter((path) => path !== location);
  if (others.length < maxCount) return;
  const reason = `Gemini CLI keeps ${maxCount} of a project, and would delete another one`;
  throw new ContinuoError("conflict", `cannot bring ${location} back: ${reason}`, {
    hint: "Run `continuo guard retention gemini`, after which it keeps all of them.",
  });
}

/** The name has the whole id, because files whose names end in its first eight characters are deleted together. */
function listedName(sessionId: string, startTime: string, ending: string): string {
  return `session-${startTime.slice(0, 16).replace(":", "-")}-${sessionId}${ending}`;
}

function startOf(bytes: Buffer): string {
  return timesIn(bytes, "startTime")[0] ?? wholeTime(bytes) ?? new Date(0).toISOString();
}

/** The times of the records that describe the session, in their order. */
function timesIn(bytes: Buffer, field: "startTime" | "lastUpdated"): readonly string[] {
  return remainingLines(draftOf(bytes)).flatMap(
    ({ value }) => textField(metadataIn(value, kindOf(value)) ?? value, field) ?? [],
  );
}
