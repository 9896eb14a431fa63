/** `complete-words`: prints the candidates for the word at the cursor, one in each line. */

import { listCatalog, rowsByIdPrefix } from "@continuo/agents/catalog";
import { visibleLine } from "@continuo/core/transcript";
import { type Places, placesOf } from "@continuo/files";
import { listTrashedSessions } from "@continuo/native/editing";
import type { Command } from "commander";
import { SESSION_COMMANDS } from "../session/index.ts";
import type { Shell } from "../terminal/index.ts";
import { type Candidate, wantedFor } from "./candidates.ts";

/** More candidates do not fit on a screen. If a person types a part of an id, there are fewer. */
const MAX_SESSIONS = 60;
const MAX_NOTE_CHARS = 60;
/** An id without characters that have a special meaning in shells. */
const PLAIN_ID = /^[\w.-]+$/u;

export async function runComplete(program: Command, words: readonly string[], shell: Shell): Promise<number> {
  const wanted = wantedFor(program, words, SESSION_COMMANDS);
  const places = placesOf(shell);
  switch (wanted.type) {
    case "words":
      return write(wanted.candidates, shell);
    case "files":
    case "folders":
      shell.stdout.write(`:${wanted.type}\n`);
      return 0;
    case "sessions":
      return write(await sessionsOf(wanted.prefix, shell), shell);
    case "trashed":
      return write(trashedOf(wanted.prefix, places), shell);
  }
}

interface CompletedSession {
  readonly agent: string;
  readonly sessionId: string;
  readonly title: string | null;
}

function write(candidates: readonly Candidate[], shell: Shell): number {
  const lines = candidates.map(
    ({ value, note }) => `${value}\t${visibleLine(note).slice(0, MAX_NOTE_CHARS)}\n`,
  );
  shell.stdout.write(lines.join(""));
  return 0;
}

/** The sessions whose id begins with `prefix`; the newest ones if it is empty. */
async function sessionsOf(prefix: string, shell: Shell): Promise<Candidate[]> {
  const rows =
    prefix === ""
      ? (await listCatalog({ limit: MAX_SESSIONS }, { places: shell })).sessions
      : await rowsByIdPrefix(prefix, { places: shell });
  return rows.map(toCandidate).filter(isPlain);
}

function trashedOf(prefix: string, places: Places): Candidate[] {
  return listTrashedSessions({ places })
    .map(({ info }) => toCandidate(info))
    .filter((one) => isPlain(one) && one.value.toLowerCase().startsWith(prefix.toLowerCase()));
}

function toCandidate({ agent, sessionId, title }: CompletedSession): Candidate {
  return { value: sessionId, note: title === null ? agent : `${agent}: ${title}` };
}

function isPlain({ value }: Candidate): boolean {
  return PLAIN_ID.test(value);
}
