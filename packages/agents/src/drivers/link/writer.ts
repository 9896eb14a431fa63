/**
 * Makes sure that each native session has one writer. A conversation holds a lock, which other processes of Continuo
 * see, as long as its program is open. Between and during turns it also checks whether somebody else sent a prompt in
 * the session, such as the agent itself in another terminal: a program that does not know that prompt must not write
 * any more.
 */

import { statSync } from "node:fs";
import { type Block, isContinuoError, textOf } from "@continuo/core/model";
import { canonicalFolder, mayBeWrittenSince } from "@continuo/files";
import type { FoundSession } from "@continuo/native/kit";
import type { DriverOptions } from "./options.ts";
import { findOnDisk } from "./verify.ts";

/** The part of a changed session that is read: new prompts are at its end. */
const NEWEST_BYTES = 4_194_304;
/** The pause between two checks during a turn; it is at least `LOOK_SHARE` times as long as the last check took. */
const LOOK_EVERY_MS = 2_000;
const LOOK_SHARE = 20;

/** The state of a native session on disk at the end of a turn. */
export interface Stamp {
  readonly found: FoundSession;
  readonly fingerprint: string;
  readonly takenAtMs: number;
}

export function stampOf(found: FoundSession): Stamp {
  return { found, fingerprint: fingerprintOf(found), takenAtMs: Date.now() };
}

function fingerprintOf({ files }: FoundSession): string {
  const facts = files.map(({ path }) => statSync(path, { throwIfNoEntry: false }));
  return facts.map((file) => `${file?.size} ${file?.mtimeMs}`).join(", ");
}

/**
 * Returns true if the agent's own record has the prompt. The next turn then knows the prompt, even if this turn failed.
 */
export async function isRecorded(options: DriverOptions, writing: SentPrompt): Promise<boolean> {
  const found = await findOnDisk(options, writing);
  return found !== null && (await isPrompted(options, found, writing.askedAtMs - 1));
}

export interface SentPrompt {
  readonly sessionId: string;
  readonly cwd: string;
  readonly askedAtMs: number;
}

/**
 * Returns true if a person has sent a prompt in the session since the stamp. An agent may write a title or a note after
 * its turn; a session that cannot be read proves nothing.
 */
export async function isWrittenTo(
  options: DriverOptions,
  { found, fingerprint, takenAtMs }: Stamp,
): Promise<boolean> {
  return fingerprintOf(found) !== fingerprint && (await isPrompted(options, found, takenAtMs));
}

async function isPrompted(options: DriverOptions, found: FoundSession, sinceMs: number): Promise<boolean> {
  return (await promptsIn(options, found, sinceMs)).some(({ isNew }) => isNew);
}

export interface RecordedPrompt {
  readonly cwd: string;
  readonly said: readonly Block[];
  readonly sinceMs: number;
  /** `null` if any session of the folder may have received the prompt. */
  readonly sessionId: string | null;
}

/** The session whose own record has this prompt since that time; `null` if there is none, or there are several. */
export async function sessionThatHeard(
  options: Pick<DriverOptions, "places" | "reader">,
  { cwd, said, sinceMs, sessionId }: RecordedPrompt,
): Promise<FoundSession | null> {
  const own = textsOf(said);
  const { reader, places } = options;
  if (reader === undefined || own.length === 0) return null;
  const heard: FoundSession[] = [];
  for await (const found of reader.find(places, { cwd: canonicalFolder(cwd) })) {
    const isOther = sessionId !== null && found.sessionId !== sessionId;
    if (isOther || !found.files.some((file) => mayBeWrittenSince(file, sinceMs))) continue;
    const prompts = await promptsIn(options, found, sinceMs - 1);
    if (prompts.some(({ isNew, text }) => isNew && own.every((part) => text.includes(part))))
      heard.push(found);
  }
  return heard.length === 1 ? (heard[0] ?? null) : null;
}

export interface TurnWatch {
  /** Checks now. Resolves to true if somebody else has sent a prompt since the turn began. */
  look(): Promise<boolean>;
  stop(): void;
}

export interface WatchedTurn {
  /** The session on disk; `null` if its file is not known. */
  readonly found: FoundSession | null;
  /** The prompt of the turn: every other one is somebody else's. */
  readonly said: readonly Block[];
  readonly askedAtMs: number;
  /** Called once, when somebody else's prompt is noticed between two calls of `look`. */
  readonly onOther: () => void;
}

/**
 * Checks the session at intervals while a turn runs. If the turn's own prompt cannot be recognised, nothing is checked.
 */
export function watchTurn(
  options: DriverOptions,
  { found, said, askedAtMs, onOther }: WatchedTurn,
): TurnWatch {
  const own = textsOf(said);
  // A command of the agent's own is recorded in other words.
  const isTold = own.length > 0 && !own.some((text) => /^[/!]/u.test(text));
  if (found === null || !isTold) return { look: async () => false, stop: () => undefined };
  let before = fingerprintOf(found);
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<boolean> => {
    const now = fingerprintOf(found);
    if (now === before) return false;
    before = now;
    const prompts = await promptsIn(options, found, askedAtMs - 1);
    // A compaction may record messages from before the turn again.
    const earlier = new Set(prompts.filter(({ isNew }) => !isNew).map(({ text }) => text));
    const isOther = (text: string): boolean =>
      text !== "" && !earlier.has(text) && !own.some((part) => text.includes(part));
    return prompts.some(({ isNew, text }) => isNew && isOther(text));
  };
  const again = (ms: number): void => {
    timer = setTimeout(async () => {
      const startedAt = performance.now();
      // A look that fails is repeated later, at the latest at the end of the turn.
      const isOther = await look().catch(() => false);
      if (timer === undefined) return;
      if (isOther) onOther();
      else again(Math.max(LOOK_EVERY_MS, LOOK_SHARE * (performance.now() - startedAt)));
    }, ms).unref();
  };
  again(LOOK_EVERY_MS);
  return {
    look,
    stop: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** Agents often change white space, so it is ignored. */
function textsOf(blocks: readonly Block[]): readonly string[] {
  return blocks.map((block) => flat(textOf([block]))).filter((text) => text !== "");
}

function flat(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

interface Prompt {
  readonly text: string;
  readonly isNew: boolean;
}

/**
 * Reads the prompts of persons since that time on every branch, because two programs that write at the same time make
 * two branches. Empty for a session that cannot be read.
 */
async function promptsIn(
  { reader, places }: Pick<DriverOptions, "places" | "reader">,
  before: FoundSession,
  sinceMs: number,
): Promise<readonly Prompt[]> {
  if (reader === undefined) return [];
  const prompts: Prompt[] = [];
  try {
    const path = before.location.split("#")[0] ?? "";
    const recognised = before.location === path ? await reader.recognise(path, places) : null;
    using session = await reader.open(recognised ?? before, places, { newestBytes: NEWEST_BYTES });
    for (const { id, active, updatedAt } of session.leaves) {
      if (!active && Date.parse(updatedAt ?? "") <= sinceMs) continue;
      for await (const message of session.history(active ? {} : { leaf: id })) {
        const { role, origin, timestamp = "", content } = message;
        if (role !== "user" || origin !== "person") continue;
        prompts.push({ text: flat(textOf(content)), isNew: Date.parse(timestamp) > sinceMs });
      }
    }
  } catch (error) {
    if (!isContinuoError(error)) throw error;
  }
  return prompts;
}
