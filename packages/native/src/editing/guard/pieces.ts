/**
 * Stores the bytes of files as compressed pieces. Each piece is stored only once, under the hash of its content. A file
 * that grew shares the pieces of its older state; small pieces at the end of the file are joined with the new part, so
 * that a file has only a few pieces.
 */

import { createHash, type Hash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { ContinuoError } from "@continuo/core/model";
import {
  listNames,
  makeFolderDurably,
  type Places,
  readAt,
  removeDurably,
  renameDurably,
  statFile,
} from "@continuo/files";
import { writeNewFile } from "../../native/writing/index.ts";
import {
  type Dictionary,
  orphanedDictionaries,
  packed,
  packedQuickly,
  removeDictionaries,
  unpacked,
  withoutDictionary,
} from "./dictionaries.ts";
import { guardFolder } from "./folder.ts";

export interface Piece {
  /** The hash of the uncompressed bytes, in hexadecimal. */
  readonly sha256: string;
  readonly sizeBytes: number;
  /** The size on disk. */
  readonly storedBytes: number;
  /** Set if the piece was compressed quickly while an agent waited; the next full run compresses it better. */
  readonly quick?: true;
}

/** A file as pieces in their order. */
export interface PiecedFile {
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly pieces: readonly Piece[];
}

const PIECE_BYTES = 4 * 1024 * 1024;
/** A smaller piece is stored again together with the part that follows it, because two pieces would need more space. */
const SMALL_BYTES = 256 * 1024;

export interface StoreFileOptions {
  readonly places: Places;
  /** The older state of the file, whose pieces are used again if the file only grew. */
  readonly before: PiecedFile | null;
  readonly dictionary: Dictionary | null;
  /** True if an agent waits: compression then takes a fifth of the time, and more space. */
  readonly quick: boolean;
}

/** Stores the first `sizeBytes` bytes of a file. Errors: those of the system; `conflict` if the file became shorter. */
export async function storeFile(
  path: string,
  sizeBytes: number,
  { places, before, dictionary, quick }: StoreFileOptions,
): Promise<PiecedFile & { readonly grew: boolean }> {
  const fd = openSync(path, "r");
  try {
    const whole = createHash("sha256");
    const toPackBetter = new Set(
      quick ? [] : before?.pieces.flatMap((one) => (one.quick ? [one.sha256] : [])),
    );
    let pieces: Piece[] = [];
    let at = 0;
    let grew = false;
    if (before !== null && before.sizeBytes <= sizeBytes) {
      at = await hashUpTo(fd, before.sizeBytes, whole);
      grew = whole.copy().digest("hex") === before.sha256;
      if (grew) pieces = piecesToKeep(before.pieces, sizeBytes - before.sizeBytes, toPackBetter);
    }
    const stored = grew ? pieces.reduce((sum, piece) => sum + piece.sizeBytes, 0) : 0;
    const hash = grew ? whole : createHash("sha256");
    // Bytes that were already hashed are read again only to join them to the new part.
    let hashed = grew ? at : 0;
    for (let from = stored; from < sizeBytes; ) {
      const bytes = readAt(fd, from, Math.min(PIECE_BYTES, sizeBytes - from));
      if (bytes.length === 0) throw shorter(path);
      hash.update(bytes.subarray(Math.max(0, Math.min(bytes.length, hashed - from))));
      pieces.push(storePiece(bytes, { places, dictionary, quick, toPackBetter }));
      from += bytes.length;
      hashed = Math.max(hashed, from);
      await otherWork();
    }
    return { sizeBytes, sha256: hash.digest("hex"), pieces, grew };
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns the pieces that stay unchanged: those before the first piece that must be compressed again. If the file grew,
 * the last of these are left out too, as long as each is not full, and is small or not larger than everything after it:
 * they are joined with the new part.
 */
function piecesToKeep(all: readonly Piece[], newBytes: number, again: ReadonlySet<string>): Piece[] {
  const firstAgain = all.findIndex(({ sha256 }) => again.has(sha256));
  const pieces = firstAgain === -1 ? all : all.slice(0, firstAgain);
  let kept = pieces.length;
  let after = newBytes;
  while (kept > 0 && newBytes > 0) {
    const last = pieces[kept - 1];
    if (last === undefined || last.sizeBytes >= PIECE_BYTES) break;
    if (last.sizeBytes > Math.max(after, SMALL_BYTES)) break;
    after += last.sizeBytes;
    kept -= 1;
  }
  return pieces.slice(0, kept);
}

async function hashUpTo(fd: number, sizeBytes: number, hash: Hash): Promise<number> {
  let at = 0;
  while (at < sizeBytes) {
    const bytes = readAt(fd, at, Math.min(PIECE_BYTES, sizeBytes - at));
    if (bytes.length === 0) break;
    hash.update(bytes);
    at += bytes.length;
    await otherWork();
  }
  return at;
}

interface StorePieceOptions extends Omit<StoreFileOptions, "before"> {
  readonly toPackBetter: ReadonlySet<string>;
}

function storePiece(bytes: Buffer, { places, dictionary, quick, toPackBetter }: StorePieceOptions): Piece {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const path = piecePath(sha256, places);
  const isNew = !existsSync(path);
  if (isNew) {
    makeFolderDurably(dirname(path));
    writeNewFile(path, quick ? packedQuickly(bytes) : packed(bytes, dictionary));
  } else if (toPackBetter.has(sha256)) replacePiece(path, packed(bytes, dictionary));
  const piece: Piece = {
    sha256,
    sizeBytes: bytes.length,
    storedBytes: statFile(path)?.sizeBytes ?? 0,
  };
  return isNew && quick ? { ...piece, quick } : piece;
}

/**
 * If the process is killed, the new file remains. Its name is not the name of a piece, so it is removed together with
 * the unused pieces.
 */
function replacePiece(path: string, bytes: Buffer): void {
  const fresh = `${path}.again`;
  if (existsSync(fresh)) removeDurably(fresh);
  writeNewFile(fresh, bytes);
  renameDurably(fresh, path);
}

/** Reads a piece and verifies its hash. Errors: `corrupt`. */
export function readPiece({ sha256, sizeBytes }: Piece, places: Places): Buffer {
  const path = piecePath(sha256, places);
  let bytes: Buffer;
  try {
    bytes = unpacked(readFileSync(path), sizeBytes, places);
  } catch (cause) {
    throw damaged(path, cause);
  }
  if (createHash("sha256").update(bytes).digest("hex") !== sha256) throw damaged(path);
  return bytes;
}

/** Errors: `corrupt`. */
export function* readPieces({ pieces }: Pick<PiecedFile, "pieces">, places: Places): Generator<Buffer> {
  for (const piece of pieces) yield readPiece(piece, places);
}

/**
 * Removes the dictionaries of sessions that no longer have a copy. First compresses again the pieces that need one of
 * these dictionaries.
 */
export function releaseDictionaries(pieces: Iterable<Piece>, places: Places): void {
  const orphaned = orphanedDictionaries(places);
  if (orphaned.size === 0) return;
  for (const { sha256, sizeBytes } of pieces) {
    const path = piecePath(sha256, places);
    const again = withoutDictionary(readFileSync(path), orphaned, sizeBytes, places);
    if (again !== null) replacePiece(path, again);
  }
  removeDictionaries(orphaned, places);
}

/** Removes the pieces that no manifest uses, and returns their number. */
export function removeOtherPieces(named: Pick<ReadonlyMap<string, Piece>, "has">, places: Places): number {
  let removed = 0;
  for (const start of listNames(piecesFolder(places))) {
    for (const name of listNames(join(piecesFolder(places), start))) {
      const sha256 = name.replace(/\.zst$/u, "");
      // The file of a killed process has a longer name.
      if (named.has(sha256) && name === `${sha256}.zst`) continue;
      removeDurably(join(piecesFolder(places), start, name));
      removed += 1;
    }
  }
  return removed;
}

function piecesFolder(places: Places): string {
  return join(guardFolder(places), "pieces");
}

function piecePath(sha256: string, places: Places): string {
  return join(piecesFolder(places), sha256.slice(0, 2), `${sha256}.zst`);
}

function damaged(path: string, cause?: unknown): ContinuoError {
  return new ContinuoError("corrupt", `${path} is damaged: it is not what the guard stored`, {
    hint: "Restore the folder of the guard from a backup; `continuo guard verify` names every session that is affected.",
    details: { path },
    ...(cause === undefined ? {} : { cause }),
  });
}

function shorter(path: string): ContinuoError {
  return new ContinuoError("conflict", `another program made ${path} shorter while it was read`);
}
