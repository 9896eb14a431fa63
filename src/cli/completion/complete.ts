/** `complete-words`: the candidates of one word, a line each. */

import type { Command } from "commander";
import {
  findSessions,
  listSessions,
  listTrashedSessions,
  type Places,
  readerOf,
} from "../../agents/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { findOwn, listOwn, openOwn } from "../own/index.ts";
import { cacheFileOf, placesOf } from "../places/index.ts";
import { SESSION_COMMANDS } from "../session/index.ts";
import type { Shell } from "../terminal/index.ts";
import { type Candidate, wantedFor } from "./candidates.ts";

/** What a person can choose from at a glance; more of an id says the rest. */
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
      return write(
        [
          ...(await ownSessionsOf(wanted.prefix, shell)),
          ...(await sessionsOf(wanted.prefix, places, cacheFileOf(shell))),
        ],
        shell,
      );
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

/** The newest; with the beginning of an id, those that begin so, of which only these are looked into. */
async function sessionsOf(prefix: string, places: Places, cacheFile: string): Promise<Candidate[]> {
  if (prefix === "") {
    const { sessions } = await listSessions({ places, limit: MAX_SESSIONS, cacheFile });
    return sessions
      .map(({ agent, sessionId, title }) => toCandidate(agent, sessionId, title))
      .filter(isPlain);
  }
  const candidates: Candidate[] = [];
  for await (const found of findSessions({ places })) {
    if (!found.sessionId.toLowerCase().startsWith(prefix.toLowerCase())) continue;
    const reader = await readerOf(found.agent);
    const info = candidates.length < MAX_SESSIONS ? await reader.skim(found, { part: "whole" }) : null;
    candidates.push(toCandidate(found.agent, found.sessionId, info?.title ?? null));
  }
  return candidates.filter(isPlain);
}

/** Continuo's own. */
async function ownSessionsOf(prefix: string, shell: Shell): Promise<Candidate[]> {
  await using own = await openOwn(shell);
  if (own === null) return [];
  const rows = prefix === "" ? await listOwn(own) : await findOwn(own, prefix);
  return rows
    .slice(0, MAX_SESSIONS)
    .map(({ agent, sessionId, title }) => toCandidate(agent, sessionId, title))
    .filter(isPlain);
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
