/** Follows the notes of a server, and passes each video whose notes changed to the targets, until Ctrl-C. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ContinuoError, isContinuoError, messageOf } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import type { LiveSession, Note } from "@continuo/core/wire";
import { assertAllowed, makeFolderDurably, placesOf, writeFailure } from "@continuo/files";
import { forbiddenFolders } from "@continuo/native";
import { accessOf, callServer, type ServerAccess } from "../channel/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { ExportFlags } from "./flags.ts";
import { livePath } from "./lines.ts";
import { listSessions } from "./listing.ts";
import type { NoteTarget, SessionNotes, VideoNotes } from "./note-pages.ts";
import { NotesChannel } from "./notes-channel.ts";
import { NotesFolder } from "./notes-folder.ts";
import { readPage } from "./sessions.ts";

const INTERVAL_MS = 2_000;
/** A server with very many sessions is asked less often: requests take at most this share of the time. */
const SHARE = 0.1;

/** Errors after which another try is useless. */
const FINAL: ReadonlySet<string> = new Set(["unauthorized", "forbidden", "usage"]);

export async function runFollow(key: string | undefined, flags: ExportFlags, shell: Shell): Promise<number> {
  if (flags.output !== undefined || flags.format !== undefined || flags.force === true) {
    throw new ContinuoError(
      "usage",
      "--follow and --channel cannot be used with --format, --output or --force",
      {
        hint: "Use them in two commands.",
      },
    );
  }
  const access = await accessOf(flags, shell);
  const stop = new AbortController();
  using _interrupts = shell.holdInterrupts(() => stop.abort());
  using _termination = shell.holdTermination(() => stop.abort());
  const targets = await targetsOf(flags, { access, shell, signal: stop.signal });
  const say = (text: string): void => void shell.stdout.write(`${visibleLine(text)}\n`);
  const warn = (text: string): void => void shell.stderr.write(`${visibleLine(text)}\n`);
  const following = new NoteFollower({ access, key, targets, say, warn, signal: stop.signal });
  let isAway = false;
  for (let passes = 0; !stop.signal.aborted; passes++) {
    const beganMs = performance.now();
    try {
      await following.pass();
      if (passes === 0) warn(`following the notes of ${access.serverUrl}; Ctrl-C ends it`);
      if (isAway) warn("the server answers again");
      isAway = false;
    } catch (error) {
      if (!isContinuoError(error) || FINAL.has(error.code) || passes === 0) throw error;
      if (!isAway) warn(`${error.message}; waiting until it answers`);
      isAway = true;
    }
    const pauseMs = Math.max(INTERVAL_MS, (performance.now() - beganMs) / SHARE);
    await wait(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  return 0;
}

interface Surroundings {
  readonly access: ServerAccess;
  readonly shell: Shell;
  readonly signal: AbortSignal;
}

async function targetsOf(
  { follow, channel, as: handle = "notes" }: ExportFlags,
  { access, shell, signal }: Surroundings,
): Promise<readonly NoteTarget[]> {
  const targets: NoteTarget[] = [];
  if (follow !== undefined)
    targets.push(new NotesFolder(await openFolder(resolve(shell.cwd, follow), shell)));
  if (channel !== undefined) targets.push(new NotesChannel({ access, channel, handle, signal }));
  return targets;
}

/** Errors: `invalid` for a folder of an agent, `unwritable`. */
async function openFolder(path: string, shell: Shell): Promise<string> {
  assertAllowed(path, await forbiddenFolders(placesOf(shell)));
  try {
    makeFolderDurably(path);
    if (statSync(path).isDirectory()) return path;
  } catch (cause) {
    throw writeFailure(`cannot make the folder ${path}`, cause, "Name another folder.");
  }
  throw new ContinuoError("unwritable", `cannot write to ${path}: it is not a folder`, {
    hint: "Name another folder.",
  });
}

interface FollowingOptions {
  readonly access: ServerAccess;
  /** Only the session of this key. */
  readonly key: string | undefined;
  readonly targets: readonly NoteTarget[];
  readonly say: (line: string) => void;
  readonly warn: (line: string) => void;
  readonly signal: AbortSignal;
}

interface PlacedTarget {
  readonly target: NoteTarget;
  readonly place: string;
}

class NoteFollower {
  readonly #options: FollowingOptions;
  /** For each target, the state of each video when the target received it. */
  readonly #given: ReadonlyMap<NoteTarget, Map<string, string>>;
  /** The reason of each video and target that failed, so that it is reported once. */
  readonly #failed = new Map<string, string>();

  constructor(options: FollowingOptions) {
    this.#options = options;
    this.#given = new Map(options.targets.map((target) => [target, new Map()]));
  }

  /** Errors: those of the server. */
  async pass(): Promise<void> {
    const targets = this.#targetsNow();
    for (const [videoId, sessions] of byVideo(await this.#sessions())) {
      const state = stateOf(sessions);
      const due = targets.filter(
        ({ target, place }) => this.#given.get(target)?.get(videoId) !== `${place} ${state}`,
      );
      if (due.length === 0 || this.#options.signal.aborted) continue;
      const video = await this.#read(videoId, sessions);
      if (video === null) continue;
      for (const { target, place } of due) await this.#give(target, video, `${place} ${state}`);
    }
  }

  /** The targets that exist. */
  #targetsNow(): readonly PlacedTarget[] {
    return this.#options.targets.flatMap((target) => {
      try {
        const place = target.place();
        this.#failed.delete(this.#nameOf(target));
        return [{ target, place }];
      } catch (error) {
        this.#fail(this.#nameOf(target), error);
        return [];
      }
    });
  }

  async #give(target: NoteTarget, video: VideoNotes, state: string): Promise<void> {
    const { say, signal } = this.#options;
    const { videoId } = video;
    const name = `${this.#nameOf(target)} ${videoId}`;
    try {
      const line = await target.take(video);
      if (signal.aborted) return;
      if (line !== null) say(line);
      this.#given.get(target)?.set(videoId, state);
      this.#failed.delete(name);
    } catch (error) {
      if (isContinuoError(error) && FINAL.has(error.code)) throw error;
      this.#fail(name, error);
    }
  }

  #fail(name: string, error: unknown): void {
    const reason = messageOf(error);
    if (this.#failed.get(name) === reason) return;
    this.#failed.set(name, reason);
    this.#options.warn(`${reason}; it is tried again`);
  }

  #nameOf(target: NoteTarget): string {
    return String(this.#options.targets.indexOf(target));
  }

  async #sessions(): Promise<readonly LiveSession[]> {
    const { access, key } = this.#options;
    if (key === undefined) return listSessions(access);
    return [(await callServer(access, livePath(key))) as unknown as LiveSession];
  }

  /** `null` if a key now belongs to another session, which the next pass finds. */
  async #read(videoId: string, sessions: readonly LiveSession[]): Promise<VideoNotes | null> {
    const { access } = this.#options;
    const read: SessionNotes[] = [];
    for (const session of sessions) {
      try {
        const { notes } = (await callServer(access, livePath(session.key, "/notes"))) as {
          readonly notes: readonly Note[];
        };
        const { sessionId } = await callServer(access, livePath(session.key));
        if (sessionId !== session.sessionId) return null;
        read.push({ session, notes, page: await readPage(session.key, access) });
      } catch (error) {
        if (isContinuoError(error, "not_found")) return null;
        throw error;
      }
    }
    return { videoId, sessions: read };
  }
}

/** Changes whenever the file of the video must be checked again. */
function stateOf(sessions: readonly LiveSession[]): string {
  return JSON.stringify(
    sessions.map(({ sessionId, contextHash, health, state, ledgerCursor }) => [
      ...[sessionId, contextHash, health.damaged.length],
      // The page has no hash: it may change with each event.
      ...[state, ledgerCursor],
    ]),
  );
}

/**
 * The sessions of each video whose notes no later session took over, the oldest first. A session that took notes over
 * has all notes of the earlier ones.
 */
function byVideo(all: readonly LiveSession[]): ReadonlyMap<string, readonly LiveSession[]> {
  const videos = new Map<string, LiveSession[]>();
  const newestFirst = all.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  const complete = new Set<string>();
  for (const session of newestFirst) {
    const { videoId } = session;
    if (complete.has(videoId)) continue;
    videos.set(videoId, [session, ...(videos.get(videoId) ?? [])]);
    if (session.tookNotesOver === true) complete.add(videoId);
  }
  // The oldest video comes first, so that of two videos with the same title, the older one gets the plain name.
  return new Map([...videos].toReversed());
}
