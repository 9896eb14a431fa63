/** `continuo live list`, `notes`, `page`, `verify` and `repair`. */

import { isContinuoError, shellWord } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import type { LivePage, Note } from "@continuo/core/wire";
import { accessOf, callServer, type ServerAccess } from "../channel/index.ts";
import { type Shell, toJsonText } from "../terminal/index.ts";
import type { ListFlags, LiveFlags, NotesFlags } from "./flags.ts";
import { lineOfNote, livePath } from "./lines.ts";
import { listRemoved, listSessions } from "./listing.ts";
import { pageLines } from "./page-lines.ts";

export async function runList(flags: ListFlags, shell: Shell): Promise<number> {
  if (flags.removed) return runListRemoved(flags, shell);
  const sessions = await listSessions(await accessOf(flags, shell));
  if (flags.json) shell.stdout.write(`${toJsonText({ sessions })}\n`);
  else {
    for (const { lastActivityAt, state, level, depth, noteIds, key } of sessions) {
      const behind = level === "normal" ? "" : `  ${level}, ${depth} pending`;
      const notes = `${String(noteIds.length).padStart(5)} notes`;
      shell.stdout.write(
        `${visibleLine(lastActivityAt)}  ${visibleLine(state).padEnd(12)}  ${notes}  ${visibleLine(key)}${behind}\n`,
      );
    }
  }
  return 0;
}

async function runListRemoved(flags: ListFlags, shell: Shell): Promise<number> {
  const sessions = await listRemoved(await accessOf(flags, shell));
  if (flags.json) shell.stdout.write(`${toJsonText({ sessions })}\n`);
  for (const { deletedAfter, title, key } of flags.json ? [] : sessions) {
    const name = title === null ? "" : `  ${visibleLine(title)}`;
    shell.stdout.write(`until ${visibleLine(deletedAfter)}  ${visibleLine(key)}${name}\n`);
  }
  return 0;
}

/** `null` without a page, and from a server of version 0.2.0, which has none. */
export async function readPage(key: string, access: ServerAccess): Promise<LivePage | null> {
  try {
    return (await callServer(access, livePath(key, "/page"))).page as LivePage | null;
  } catch (error) {
    if (isContinuoError(error, "not_found")) return null;
    throw error;
  }
}

export async function runNotes(key: string, flags: NotesFlags, shell: Shell): Promise<number> {
  const answer = await callServer(await accessOf(flags, shell), livePath(key, "/notes"));
  const notes = answer.notes as readonly Note[];
  if (flags.json) shell.stdout.write(`${toJsonText({ notes })}\n`);
  else {
    for (const note of notes) {
      shell.stdout.write(`${flags.ids ? `${visibleLine(note.noteId)}  ` : ""}${lineOfNote(note)}`);
    }
  }
  return 0;
}

export async function runPage(key: string, flags: LiveFlags, shell: Shell): Promise<number> {
  const answer = await callServer(await accessOf(flags, shell), livePath(key, "/page"));
  const page = answer.page as LivePage | null;
  if (flags.json) shell.stdout.write(`${toJsonText({ page })}\n`);
  else if (page !== null) shell.stdout.write(pageLines(page));
  else
    shell.stderr.write(
      "the session has no page yet; it is written at a pause of two minutes and at the end\n",
    );
  return 0;
}

/** 0 if every hash is correct, otherwise 4. */
export async function runVerify(key: string, flags: LiveFlags, shell: Shell): Promise<number> {
  const result = await callServer(await accessOf(flags, shell), livePath(key, "/verify"), {});
  const { ok, checkedCount, prunedCount, quarantinedCount, firstBadSequence, reason } = result;
  const aside = Number(quarantinedCount ?? 0);
  if (flags.json) shell.stdout.write(`${toJsonText(result)}\n`);
  else if (ok === true)
    shell.stdout.write(
      `${Number(checkedCount) - aside} events are as they were written (${prunedCount} pruned)${aside === 0 ? "" : `; ${aside} put aside by a repair`}\n`,
    );
  else
    shell.stdout.write(
      `the event ${firstBadSequence} was changed after it was written: ${visibleLine(String(reason))}\n`,
    );
  if (ok !== true && !flags.json) {
    shell.stderr.write(`\`continuo live repair ${shellWord(key)}\` puts what is damaged aside\n`);
  }
  return ok === true ? 0 : 4;
}

interface QuarantinedEvent {
  readonly sequence: number;
  readonly through: number;
  readonly type: string | null;
  readonly reason: string;
}

function eventsOf({ sequence, through, type }: QuarantinedEvent): string {
  if (through > sequence) return `the events ${sequence} to ${through}`;
  return `the event ${sequence}${type === null ? "" : ` (${visibleLine(type)})`}`;
}

export async function runRepair(key: string, flags: LiveFlags, shell: Shell): Promise<number> {
  const session = await callServer(await accessOf(flags, shell), livePath(key, "/repair"), {});
  if (flags.json) shell.stdout.write(`${toJsonText(session)}\n`);
  else {
    for (const damage of (session.quarantined ?? []) as readonly QuarantinedEvent[]) {
      shell.stdout.write(`put aside ${eventsOf(damage)}: ${visibleLine(damage.reason)}\n`);
    }
    shell.stdout.write(`repaired; the session is ${visibleLine(String(session.state))}\n`);
  }
  return 0;
}
