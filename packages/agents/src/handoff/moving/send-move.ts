/**
 * The machine that a session leaves. It holds the session's lock, so that nobody writes to the session in the meantime,
 * and releases the session only after the other machine has placed it.
 */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { ContinuoError, present } from "@continuo/core/model";
import { openOutputFile, openScratch, type Places, statFile } from "@continuo/files";
import { type Lookup, lookUpSession, type SessionRef } from "@continuo/native";
import { refuseOpen } from "@continuo/native/editing";
import { lockNative } from "@continuo/native/writing";
import { commitsToOffer, fingerprintOf, openRepository, type Repository } from "../work-tree/index.ts";
import type { MoveChannel } from "./channel.ts";
import {
  type BundleOffer,
  CONFIRMED,
  lineAs,
  offset,
  type PlacedReply,
  placed,
  type ReadyReply,
  ready,
} from "./lines.ts";
import { type PackedMove, packMove } from "./pack-move.ts";

export interface SendMoveOptions {
  readonly places: Places;
  /** The name of the other machine, for errors. */
  readonly host: string;
  /** Called when no other program has the session open. */
  readonly connect: () => MoveConnection;
  /** The folder on the other machine; left out, the other machine finds it. */
  readonly into?: string | undefined;
  /** `without`: only the session is moved. */
  readonly workTree?: "with" | "without";
  /** Called when the other machine has the session, while it is still locked here. */
  readonly release: (moved: SentMove) => Promise<void>;
  readonly onProgress?: (sentBytes: number, sizeBytes: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface MoveConnection extends AsyncDisposable {
  readonly channel: MoveChannel;
  /** The error for a connection that ended early. */
  readonly broken: (why: string, cause?: unknown) => ContinuoError;
}

export interface SentMove {
  readonly packed: PackedMove;
  readonly placed: PlacedReply["placed"];
  /** The name that the other machine gave itself. */
  readonly host: string;
}

/**
 * Errors: those of packing and of the other machine; `session_live` for a session that another program has open,
 * `conflict` for one that grew in the meantime; `broken`. After an error before `release`, this machine still has the
 * session, and the other one may have it too.
 */
export async function sendMove(ref: SessionRef, options: SendMoveOptions): Promise<SentMove> {
  const { places, signal } = options;
  const lookup = await lookUpSession(ref, present({ places, signal }));
  const { agent, sessionId } = lookup.found;
  const lock = await lockNative({ agent, sessionId, places, signal });
  try {
    await refuseOpen(lookup);
    await using connection = options.connect();
    return await sendLocked(lookup, connection, options);
  } finally {
    lock.release();
  }
}

async function sendLocked(
  lookup: Lookup,
  { channel, broken }: MoveConnection,
  options: SendMoveOptions,
): Promise<SentMove> {
  const { places, host, signal } = options;
  const other = { host, broken };
  const before = await stateOf(lookup);
  const { cwd } = await lookup.reader.skim(lookup.found, { part: "ends" });
  const repository =
    cwd === null || options.workTree === "without"
      ? null
      : await openRepository(cwd, present({ places, signal }));
  await channel.writeLine({
    move: 1,
    into: options.into ?? null,
    folder: repository?.worktree ?? cwd,
    home: places.home,
    commits: repository === null ? null : await commitsToOffer(repository),
  });
  const answer = lineAs(ready, await channel.readLine(), other);
  using scratch = openScratch();
  const bundle = join(scratch.path, "move.bundle");
  const packed = await packTo(bundle, { lookup, repository, answer }, options);
  const start = await offerBundle(bundle, packed, async (line) => {
    await channel.writeLine(line);
    return lineAs(offset, await channel.readLine(), other).offset;
  });
  await sendFrom(start, bundle, channel, options);
  const { placed: there } = lineAs(placed, await channel.readLine(), other);
  if ((await stateOf(lookup)) !== before) throw grown(lookup.found.sessionId, host);
  const sent = { packed, placed: there, host: answer.host };
  await options.release(sent);
  await channel.writeLine(CONFIRMED);
  await channel.readLine();
  return sent;
}

interface PackInput {
  readonly lookup: Lookup;
  readonly repository: Repository | null;
  readonly answer: ReadyReply;
}

async function packTo(
  bundle: string,
  { lookup, repository, answer }: PackInput,
  { places, signal }: SendMoveOptions,
): Promise<PackedMove> {
  const { updatedAt } = await lookup.reader.skim(lookup.found, { part: "ends" });
  using output = await openOutputFile(bundle, { force: false, forbidden: [] });
  // The same session makes the same bytes, so that a transfer that was cut off continues.
  const packedAt = updatedAt ?? new Date(0).toISOString();
  const packed = await packMove(lookup.found, output, {
    places,
    packedAt,
    repository,
    known: answer.known,
    signal,
  });
  output.commit();
  return packed;
}

/** Returns the offset that the other machine has. */
async function offerBundle(
  bundle: string,
  packed: PackedMove,
  ask: (line: BundleOffer) => Promise<number>,
): Promise<number> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(bundle)) hash.update(chunk);
  const sizeBytes = statFile(bundle)?.sizeBytes ?? 0;
  return await ask({ bundle: { moveId: moveIdOf(packed), sha256: hash.digest("hex"), sizeBytes } });
}

async function sendFrom(
  start: number,
  bundle: string,
  channel: MoveChannel,
  { onProgress, signal }: SendMoveOptions,
): Promise<void> {
  const sizeBytes = statFile(bundle)?.sizeBytes ?? 0;
  let sent = start;
  if (start >= sizeBytes) return;
  for await (const chunk of createReadStream(bundle, { start })) {
    signal?.throwIfAborted();
    await channel.writeBytes(chunk);
    sent += chunk.length;
    onProgress?.(sent, sizeBytes);
  }
}

function moveIdOf({ agent, sessionId, sha256, workTree }: PackedMove): string {
  const tree = workTree === null ? null : fingerprintOf(workTree.state);
  return createHash("sha256")
    .update(JSON.stringify([agent, sessionId, sha256, tree]))
    .digest("hex");
}

/** Returns a value that changes when the session does; a database file also changes with other sessions. */
async function stateOf({ reader, found }: Lookup): Promise<string> {
  const { updatedAt } = await reader.skim(found, { part: "ends" });
  const files = found.location.includes("#") ? [] : found.files.map(({ path }) => statFile(path));
  return JSON.stringify([updatedAt, files]);
}

function grown(sessionId: string, host: string): ContinuoError {
  return new ContinuoError(
    "conflict",
    `session ${sessionId} grew while it was moved; ${host} has it as it was before`,
    {
      hint: "Close the program that writes to it, and run the same command again; this machine keeps the session.",
    },
  );
}
