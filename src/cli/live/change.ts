/** `continuo live remove` and `undo`: a note, a session, or all sessions of a video. */

import { ContinuoError, shellWord } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import type { LiveSession } from "@continuo/core/wire";
import { accessOf, callServer, type ServerAccess } from "../channel/index.ts";
import { type Shell, toJsonText } from "../terminal/index.ts";
import type { ChangeFlags } from "./flags.ts";
import { livePath } from "./lines.ts";
import { listRemoved } from "./listing.ts";

export interface Change {
  readonly key: string;
  readonly noteId: string | undefined;
  readonly operation: "remove" | "undo";
}

/** Errors: `usage` unless one of a note, `--session` and `--video` is named; those of the server. */
export async function runChange(
  { key, noteId, operation }: Change,
  flags: ChangeFlags,
  shell: Shell,
): Promise<number> {
  const named = [noteId, flags.session, flags.video].filter((one) => one !== undefined);
  if (named.length !== 1) {
    throw new ContinuoError(
      "usage",
      `${operation} needs a note, --session or --video, and only one of them`,
      {
        hint: "Name the id of a note, as `continuo live notes --ids` prints it, or use --session or --video.",
      },
    );
  }
  const access = await accessOf(flags, shell);
  const answer =
    noteId !== undefined
      ? await callServer(access, livePath(key, `/notes/${encodeURIComponent(noteId)}`), { operation })
      : operation === "remove"
        ? await removeWhole(key, flags, access)
        : await undoWhole(key, flags, access);
  if (flags.json) shell.stdout.write(`${toJsonText(answer)}\n`);
  else shell.stdout.write(sentence({ key, noteId, operation }, flags, answer));
  return 0;
}

type Answer = Readonly<Record<string, unknown>>;

async function removeWhole(key: string, flags: ChangeFlags, access: ServerAccess): Promise<Answer> {
  if (flags.video === undefined) return callServer(access, livePath(key, "/remove"), {});
  const { videoId } = (await callServer(access, livePath(key))) as unknown as LiveSession;
  return callServer(access, `/v1/videos/${encodeURIComponent(videoId)}/remove`, {});
}

async function undoWhole(key: string, flags: ChangeFlags, access: ServerAccess): Promise<Answer> {
  const last = (await listRemoved(access))
    .filter((one) => one.key === key)
    .toSorted((a, b) => a.removedAt.localeCompare(b.removedAt))
    .at(-1);
  if (last === undefined) {
    throw new ContinuoError("not_found", "there is no removed session of this key", {
      hint: "See what can be brought back with `continuo live list --removed`.",
      details: { key },
    });
  }
  return flags.video === undefined
    ? callServer(access, livePath(key, "/restore"), { sessionId: last.sessionId })
    : callServer(access, `/v1/videos/${encodeURIComponent(last.videoId)}/restore`, {});
}

function sentence({ key, noteId, operation }: Change, { video }: ChangeFlags, answer: Answer): string {
  const sessions = Array.isArray(answer.sessions) ? (answer.sessions as readonly Answer[]) : [answer];
  const count = `${sessions.length} session${sessions.length === 1 ? "" : "s"}`;
  if (operation === "undo") {
    if (noteId !== undefined) return "undone\n";
    return sessions.map((one) => `brought back ${visibleLine(String(one.key))}\n`).join("");
  }
  if (noteId !== undefined) {
    return `removed; \`continuo live undo ${shellWord(key)} ${shellWord(noteId)}\` brings it back\n`;
  }
  const what = video === undefined ? "--session" : "--video";
  // The typed key may not be the key under which the removed session is listed.
  const listed = sessions.some((one) => one.key === key) ? key : String(sessions[0]?.key);
  const undo = `continuo live undo ${shellWord(listed)} ${what}`;
  const until = visibleLine(String(sessions[0]?.deletedAfter));
  return `removed ${count}; until ${until}, \`${undo}\` brings ${sessions.length === 1 ? "it" : "them"} back\n`;
}
