/** The least change after which pi's own list shows a session. Nothing is written here. */

import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { canonicalFolder, type Places } from "@continuo/files";
import { toReadError } from "@continuo/files/records";
import type { HiddenSession, Mending } from "../kit/index.ts";
import { bytesOf, draftOf, editsOf, type RepairDraft, remainingLines } from "../repairing/index.ts";
import { makersOfNow } from "../writing/index.ts";
import { cwdOfFolder } from "./cwd-of-folder.ts";
import { PI_CAUSES, type PiCause } from "./hidden-causes.ts";
import { folderNameOf, piFolders, sessionIdOf } from "./places.ts";
import { type Header, parseHeader } from "./records.ts";
import { piRepairer } from "./repair.ts";

/** A change holds the file as a whole. */
const MAX_MENDED_BYTES: number = 512 * 1024 * 1024;

const MOVES: ReadonlySet<string> = new Set<PiCause>(["wrong_folder", "other_folder", "file_ending"]);

/** `null` for what only a person can change. Errors: `unreadable`, `too_large`, `conflict` where another session has the place. */
export async function mendHidden({ found, cause }: HiddenSession, places: Places): Promise<Mending | null> {
  if (PI_CAUSES[cause as PiCause].by !== "continuo") return null;
  const from = found.location;
  const bytes = readWhole(from);
  const draft = draftOf(bytes);
  if (MOVES.has(cause)) {
    const to = listedPlace(from, headerOf(draft), places);
    if (to === null || to === from) return null;
    if (existsSync(to)) throw new ContinuoError("conflict", `cannot bring ${from} back: ${to} exists`);
    return { steps: [`move the file to ${to}`], from, to, bytes, beside: [] };
  }
  const cwd = headerOf(draft)?.cwd ?? (await cwdOfFolder(from)) ?? places.home;
  piRepairer.mend(draft, { sessionId: found.sessionId, cwd, makers: makersOfNow() });
  const steps = [...new Set(editsOf(draft).map(({ reason }) => reason))];
  return steps.length === 0 ? null : { steps, from, to: from, bytes: bytesOf(draft), beside: [] };
}

function headerOf(draft: RepairDraft): Header | null {
  return (
    remainingLines(draft)
      .map(({ value }) => parseHeader(value))
      .find((one) => one !== null) ?? null
  );
}

/** `null` where no header tells the project. */
function listedPlace(path: string, header: Header | null, places: Places): string | null {
  if (header === null || header.cwd === null || header.id === null) return null;
  const { sessions } = piFolders(places);
  const stem = basename(path).replace(/\.jsonl.*$|\.(?:tmp|bak)$/u, "");
  const time = (header.createdAt ?? new Date(0).toISOString()).replace(/[:.]/gu, "-");
  const name = sessionIdOf(`${stem}.jsonl`) === null ? `${time}_${header.id}.jsonl` : `${stem}.jsonl`;
  return join(sessions, folderNameOf(canonicalFolder(header.cwd)), name);
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
