/**
 * Receives a session from another machine. The received part of a bundle stays on disk until the other machine confirms
 * that it got the answer. So, after a lost connection, the transfer continues where it stopped, and a session is placed
 * only once, even if it is sent several times.
 */

import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { AGENT_NAMES, ContinuoError, isContinuoError, present } from "@continuo/core/model";
import {
  continuoHome,
  createFile,
  listNames,
  lockSession,
  makeFolderDurably,
  type Places,
  readJsonFile,
  statFile,
  writeDurably,
} from "@continuo/files";
import { lookUpSession, resumeCommandOf } from "@continuo/native";
import { z } from "zod";
import type { AgentPrograms } from "../index.ts";
import { commitsHere, openRepository } from "../work-tree/index.ts";
import { errorLine, type MoveChannel } from "./channel.ts";
import { KEPT_DAYS } from "./limits.ts";
import {
  type BundleOffer,
  bundleOffer,
  isConfirmation,
  lineAs,
  type Offer,
  offer,
  type PlacedReply,
  placed,
} from "./lines.ts";
import { folderOfMove } from "./move-folder.ts";
import { type PlacedMove, type PlacingSession, placeMove } from "./place-move.ts";
import { placedSince } from "./recover-placement.ts";

export interface ReceiveMoveOptions {
  readonly places: Places;
  readonly channel: MoveChannel;
  /** The error for a connection that ended early. */
  readonly broken: (why: string, cause?: unknown) => ContinuoError;
  readonly programs?: AgentPrograms;
  readonly signal?: AbortSignal | undefined;
}

/** Errors: each is also sent to the other machine, if it still listens. */
export async function receiveMove(options: ReceiveMoveOptions): Promise<void> {
  const { places, channel, signal } = options;
  try {
    const lock = await lockSession("/moves", "moves", { places, waitMs: LOCK_MS, signal });
    try {
      await receiveLocked(options);
    } finally {
      lock.release();
    }
  } catch (error) {
    if (!channel.isBroken()) await channel.writeLine(errorLine(error)).catch(() => undefined);
    throw error;
  }
}

const LOCK_MS = 10_000;

async function receiveLocked(options: ReceiveMoveOptions): Promise<void> {
  const { places, channel } = options;
  const here = { host: "the other machine", broken: options.broken };
  const wish = lineAs(offer, await channel.readLine(), here);
  const folder = folderOfMove(wish, places);
  removeOld(places);
  await channel.writeLine({
    ready: 1,
    host: hostname(),
    folder,
    known: await knownIn(folder, wish, options),
  });
  const { bundle } = lineAs(bundleOffer, await channel.readLine(), here);
  const files = filesOf(bundle, folder, places);
  const before = await placedBefore(files.note, options);
  if (before === null) await takeBundle(bundle, files.part, options);
  else await channel.writeLine({ offset: bundle.sizeBytes });
  const there = before ?? (await place({ files, folder }, options));
  await channel.writeLine(there);
  // Without a confirmation the other machine asks again, and gets the same session.
  if (!isConfirmation(await channel.readLine())) return;
  rmSync(files.part, { force: true });
  await channel.writeLine({ ended: 1 });
}

/** Errors: `not_found` for a folder that is not a repository. */
async function knownIn(
  folder: string,
  { commits }: Offer,
  { places, signal }: ReceiveMoveOptions,
): Promise<readonly string[]> {
  if (commits === null || !existsSync(folder) || listNames(folder).length === 0) return [];
  const repository = await openRepository(folder, present({ places, signal }));
  if (repository !== null) return await commitsHere(repository, commits);
  throw new ContinuoError("not_found", `${folder} is not a git repository`, {
    hint: "Name a clone of the repository, or a new folder: ssh://HOST/DIR.",
  });
}

interface MoveFiles {
  /** The file with the bytes that have arrived so far. */
  readonly part: string;
  /** The file that names the session that was placed from these bytes. */
  readonly note: string;
}

function movesFolder(places: Places): string {
  return join(continuoHome(places), "moves");
}

function filesOf({ moveId, sha256 }: BundleOffer["bundle"], into: string, places: Places): MoveFiles {
  const folder = movesFolder(places);
  // The same move into another folder makes another session.
  const name = createHash("sha256").update(`${moveId} ${into}`).digest("hex");
  return { part: join(folder, `${sha256}.part`), note: join(folder, `${name}.json`) };
}

function removeOld(places: Places): void {
  const folder = movesFolder(places);
  const oldest = Date.now() - KEPT_DAYS * 24 * 3_600_000;
  for (const name of listNames(folder)) {
    const stat = statFile(join(folder, name));
    if (stat !== null && stat.mtimeMs < oldest) rmSync(stat.path, { force: true });
  }
}

/** Errors: `corrupt` if the received bytes differ from the offered ones; the received bytes are then removed. */
async function takeBundle(
  { sha256, sizeBytes }: BundleOffer["bundle"],
  part: string,
  { channel }: ReceiveMoveOptions,
): Promise<void> {
  makeFolderDurably(join(part, ".."));
  if (!existsSync(part)) createFile(part);
  if (statSync(part).size > sizeBytes) truncateSync(part, 0);
  const start = statSync(part).size;
  await channel.writeLine({ offset: start });
  const fd = openSync(part, "a");
  try {
    for await (const chunk of channel.readBytes(sizeBytes - start)) {
      for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(part)) hash.update(chunk);
  if (hash.digest("hex") === sha256) return;
  rmSync(part, { force: true });
  throw new ContinuoError("corrupt", "the received bundle is not the one that was sent", {
    hint: "Run the same command again; the bundle is then sent from the beginning.",
  });
}

interface PlaceContext {
  readonly files: MoveFiles;
  readonly folder: string;
}

async function place({ files, folder }: PlaceContext, options: ReceiveMoveOptions): Promise<PlacedReply> {
  const { places, programs, signal } = options;
  const found = await placedBySomeoneKilled(readJsonFile(files.note), options);
  const onPlacing = (session: PlacingSession): void => {
    const note: PlacingNote = { ...session, sinceMs: Date.now() };
    writeDurably(files.note, JSON.stringify(note));
  };
  const wish = { places, into: folder, onPlacing, ...present({ programs, signal }) };
  const there: PlacedReply = found ?? { placed: toPlaced(await placeMove(files.part, wish)) };
  writeDurably(files.note, JSON.stringify(there));
  return there;
}

function toPlaced({ made, workTree }: PlacedMove): PlacedReply["placed"] {
  const { agent, sessionId, location, cwd, resumeCommand, verification } = made;
  return {
    agent,
    sessionId: sessionId ?? "",
    location: location ?? "",
    cwd,
    resumeCommand: resumeCommand ?? [],
    readBackBy: verification?.by ?? "continuo",
    workTree: workTree?.folder ?? null,
  };
}

/**
 * Returns the reply about the session that was placed earlier; `null` if there is none, or if that session was deleted
 * in the meantime, because the other machine would then give up the only copy.
 */
async function placedBefore(
  note: string,
  { places, signal }: ReceiveMoveOptions,
): Promise<PlacedReply | null> {
  const read = placed.safeParse(readJsonFile(note));
  if (!read.success) return null;
  try {
    await lookUpSession(read.data.placed.location, present({ places, signal }));
    return read.data;
  } catch (error) {
    if (isContinuoError(error, "not_found")) return null;
    throw error;
  }
}

const beginning: z.ZodType<PlacingNote> = z.object({
  agent: z.enum(AGENT_NAMES),
  from: z.object({ agent: z.enum(AGENT_NAMES), sessionId: z.string() }),
  cwd: z.string(),
  folder: z.string().nullable(),
  sinceMs: z.number(),
});

/**
 * The note that is written before the session is placed; without it, a process that is killed after the placing would
 * leave an unknown session.
 */
interface PlacingNote extends PlacingSession {
  readonly sinceMs: number;
}

async function placedBySomeoneKilled(
  note: unknown,
  { places, signal }: ReceiveMoveOptions,
): Promise<PlacedReply | null> {
  const read = beginning.safeParse(note);
  if (!read.success) return null;
  const { cwd, folder } = read.data;
  const found = await placedSince(read.data, { places, signal });
  if (found === null) return null;
  const resumeCommand = resumeCommandOf(found);
  return { placed: { ...found, cwd, resumeCommand, readBackBy: "continuo", workTree: folder } };
}
