/** The smallest change after which pi's own list shows a session. Nothing is written here. */

import { basename, join } from "node:path";
import { canonicalFolder, type Places } from "@continuo/files";
import type { HiddenSession, VisibilityFix } from "../kit/index.ts";
import {
  change,
  draftOf,
  type NativeRepairer,
  type RepairDraft,
  readToMend,
  refuseTakenPlace,
  remainingLines,
  repaired,
} from "../repairing/index.ts";
import { makersOfNow } from "../writing/index.ts";
import { cwdOfFolder } from "./cwd-of-folder.ts";
import { PI_CAUSES, type PiCause } from "./hidden-causes.ts";
import { folderNameOf, piFolders, sessionIdOf } from "./places.ts";
import { type Header, messageOf, parseHeader } from "./records.ts";
import { piRepairer } from "./repair.ts";

const MOVES: ReadonlySet<string> = new Set<PiCause>(["wrong_folder", "other_folder", "file_ending"]);

/** The change; `null` if only a person can make it. Errors: `unreadable`, `too_large`, `conflict` if another session has the place. */
export async function mendHidden(
  { found, cause }: HiddenSession,
  places: Places,
): Promise<VisibilityFix | null> {
  if (PI_CAUSES[cause as PiCause].by !== "continuo") return null;
  const from = found.location;
  const bytes = readToMend(from);
  const header = headerOf(draftOf(bytes));
  if (MOVES.has(cause)) {
    const to = listedPlace(from, header, places);
    if (to === null || to === from) return null;
    refuseTakenPlace(from, to);
    return { of: "file", steps: [`move the file to ${to}`], from, to, bytes, beside: [] };
  }
  const cwd = header?.cwd ?? (await cwdOfFolder(from)) ?? places.home;
  const repairer = cause === "unread_content" ? LISTED : piRepairer;
  const mended = repaired(repairer, bytes, { sessionId: found.sessionId, cwd, makers: makersOfNow() });
  return mended && { of: "file", ...mended, from, to: from, beside: [] };
}

/** pi resumes a message whose content is null, and its list does not read it. */
const LISTED: NativeRepairer = {
  ...piRepairer,
  mend(draft, context) {
    piRepairer.mend(draft, context);
    for (const line of remainingLines(draft)) {
      const message = messageOf(line.value);
      if (message === null || message.content !== null) continue;
      const content = message.role === "assistant" ? [] : "";
      change(line, { ...line.value, message: { ...message, content } }, "the content of the message is null");
    }
  },
};

function headerOf(draft: RepairDraft): Header | null {
  return (
    remainingLines(draft)
      .map(({ value }) => parseHeader(value))
      .find((one) => one !== null) ?? null
  );
}

/** Returns `null` if no header names the project. */
function listedPlace(path: string, header: Header | null, places: Places): string | null {
  if (header === null || header.cwd === null || header.id === null) return null;
  const { sessions } = piFolders(places);
  const stem = basename(path).replace(/\.jsonl.*$|\.(?:tmp|bak)$/u, "");
  const time = (header.createdAt ?? new Date(0).toISOString()).replace(/[:.]/gu, "-");
  const name = sessionIdOf(`${stem}.jsonl`) === null ? `${time}_${header.id}.jsonl` : `${stem}.jsonl`;
  return join(sessions, folderNameOf(canonicalFolder(header.cwd)), name);
}
