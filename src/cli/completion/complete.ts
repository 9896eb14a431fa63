/** `complete-words`: the candidates of one word, a line each. */

import { listCatalog, rowsByIdPrefix } from "@continuo/agents/catalog";
import { visibleLine } from "@continuo/core/transcript";
import type { Places } from "@continuo/files";
import { placesOf } from "@continuo/files";
import { listTrashedSessions } from "@continuo/native/editing";
import type { Command } from "commander";
import { SESSION_COMMANDS } from "../session/index.ts";
import type { Shell } from "../terminal/index.ts";
import { type Candidate, wantedFor } from "./candidates.ts";

/** The number of candidates that a person sees at a glance; more of an id narrows them. */
const MAX_SESSIONS = 60;
const MAX_NOTE_CHARS = 60;
/** No character that a shell gives a meaning to. */
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

function write(candidates: readonly Candidate[], shell: Shell): number {
  const lines = candidates.map(
    ({ value, note }) => `${value}\t${visibleLine(note).slice(0, MAX_NOTE_CHARS)}\n`,
  );
  shell.stdout.write(lines.join(""));
  return 0;
}

/** The newest; with the beginning of an id, those that begin so. */
async function sessionsOf(prefix: string, shell: Shell): Promise<Candidate[]> {
  if (prefix === "") {
    const { sessions } = await listCatalog({ limit: MAX_SESSIONS }, { places: shell });
    return sessions
      .map(({ agent, sessionId, title }) => toCandidate(agent, sessionId, title))
      .filter(isPlain);
  }
  const rows = await rowsByIdPrefix(prefix, { places: shell });
  return rows.map(({ agent, sessionId, title }) => toCandidate(agent, sessionId, title)).filter(isPlain);
}

function trashedOf(prefix: string, places: Places): Candidate[] {
  return listTrashedSessions({ places })
    .map(({ info }) => toCandidate(info.agent, info.sessionId, info.title))
    .filter((one) => isPlain(one) && one.value.toLowerCase().startsWith(prefix.toLowerCase()));
}

function toCandidate(agent: string, value: string, title: string | null): Candidate {
  return { value, note: title === null ? agent : `${agent}: ${title}` };
}

function isPlain({ value }: Candidate): boolean {
  return PLAIN_ID.test(value);
}
