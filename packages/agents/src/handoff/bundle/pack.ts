/** Packs a native session: its files, those of its sub-agents, or its rows of a database. */

import { createHash } from "node:crypto";
import { closeSync, createReadStream, createWriteStream, lstatSync, openSync, readSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { ContinuoError, present } from "@continuo/core/model";
import { filesBelow, type OutputFile, openScratch, type Places, placesOfThisUser } from "@continuo/files";
import { type Lookup, lookUpSession, type SessionRef } from "@continuo/native";
import { firstDifference } from "@continuo/native/editing";
import type { OpenedSession } from "@continuo/native/kit";
import { copyRows } from "./database.ts";
import { MAX_FILES, MAX_TOTAL_BYTES } from "./limits.ts";
import { isSafePath, type Manifest, WORK_TREE } from "./manifest.ts";
import { unpackBundle } from "./unpack.ts";

export interface PackOptions {
  readonly places?: Places;
  /** ISO 8601. */
  readonly packedAt: string;
  /** The work tree of the session: its folder, and the folder that its state was packed into. */
  readonly workTree?: { readonly folder: string; readonly packed: string } | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PackedSession {
  readonly agent: Manifest["agent"];
  readonly sessionId: string;
  /** The number of files of the session, without its work tree. */
  readonly files: number;
  /** The size of all files, unpacked. */
  readonly sizeBytes: number;
  /** The hash of the session's files; the same files have the same hash. */
  readonly sha256: string;
}

/**
 * Writes the bundle to `output`, which the caller commits. The session is only read, so it may be open in its agent.
 *
 * Errors: those of a lookup; `conflict` for a session that changes in the meantime, `unsupported` for one that is a
 * part of another session, and for the name of a file; `too_large`, `unwritable`; `verification_failed` if the bundle
 * reads differently.
 */
export async function packSession(
  ref: SessionRef,
  output: OutputFile,
  options: PackOptions,
): Promise<PackedSession> {
  const places = options.places ?? placesOfThisUser();
  const { signal } = options;
  const lookup = await lookUpSession(ref, present({ places, signal }));
  using scratch = openScratch();
  using opened = await lookup.reader.open(lookup.found, places, present({ signal }));
  const { sources: own, row } = await sourcesOf(lookup, { places, scratch: scratch.path, opened });
  const sources = [...own, ...workTreeSources(options.workTree?.packed)];
  const { agent, sessionId, cwd, title } = opened.details;
  const files = sources.map(({ at, path }) => ({ path, ...measure(at) }));
  const [main] = files;
  if (main === undefined) throw new ContinuoError("not_found", `session ${sessionId} has no file`);
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (files.length > MAX_FILES || sizeBytes > MAX_TOTAL_BYTES) throw tooLarge(sessionId);
  const manifest: Manifest = {
    continuoBundle: 1,
    agent,
    sessionId,
    cwd,
    title,
    packedAt: options.packedAt,
    main: main.path,
    row,
    files,
    ...(options.workTree !== undefined && { workTree: { folder: options.workTree.folder } }),
  };
  const draft = join(scratch.path, "bundle");
  const bytes = Readable.from(bytesOf(manifest, sources));
  await pipeline(
    bytes,
    createGzip(),
    createWriteStream(draft, { flags: "wx", mode: 0o600 }),
    present({ signal }),
  );
  await verify(draft, opened, signal);
  for await (const chunk of createReadStream(draft)) output.write(chunk);
  const ofSession = files.slice(0, own.length);
  const sha256 = createHash("sha256").update(JSON.stringify(ofSession)).digest("hex");
  return { agent, sessionId, files: own.length, sizeBytes, sha256 };
}

interface Source {
  /** The path on this machine. */
  readonly at: string;
  /** The path in the bundle. */
  readonly path: string;
}

interface PackContext {
  readonly places: Places;
  readonly scratch: string;
  readonly opened: OpenedSession;
}

/** Returns the main file first. Links are left out, because they may lead to anything. */
async function sourcesOf(
  { reader, found }: Lookup,
  { places, scratch, opened }: PackContext,
): Promise<{ readonly sources: readonly Source[]; readonly row: string | null }> {
  const plan = await reader.trashPlan(found, places);
  if (plan.type === "rows") {
    const at = join(scratch, basename(plan.database));
    await copyRows(plan, at);
    return { sources: [{ at, path: basename(plan.database) }], row: found.sessionId };
  }
  const paths = new Set([found.location, ...found.files.map(({ path }) => path), ...plan.paths]);
  // A session may begin in files of other sessions, which are not among its own files.
  for await (const { metadata } of opened.history()) {
    for (const { file } of metadata.records ?? []) if (file !== undefined) paths.add(file);
  }
  const all = [...new Set([...paths].flatMap(filesBelow))].filter((path) => lstatSync(path).isFile());
  const root = commonFolder(all);
  return { sources: all.map((at) => ({ at, path: pathBelow(root, at) })), row: null };
}

function workTreeSources(packed: string | undefined): readonly Source[] {
  if (packed === undefined) return [];
  return filesBelow(packed).map((at) => ({ at, path: `${WORK_TREE}/${pathBelow(packed, at)}` }));
}

/** Keeps a few folders above the deepest common one, because agents recognise their files by their folders. */
function commonFolder(paths: readonly string[]): string {
  let folder = dirname(paths[0] ?? "/");
  while (!paths.every((path) => path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`))) {
    folder = dirname(folder);
  }
  const parts = folder.split(sep);
  return parts.slice(0, Math.max(1, parts.length - FOLDERS_ABOVE)).join(sep) || sep;
}

/** The number of folders that are kept above the common one: Codex keeps `sessions/2026/11/22` below its home. */
const FOLDERS_ABOVE = 5;

function pathBelow(root: string, path: string): string {
  const below = relative(root, path).split(sep).join("/");
  if (isSafePath(below)) return below;
  throw new ContinuoError(
    "unsupported",
    `a bundle cannot hold a file of this name: ${JSON.stringify(below)}`,
    {
      hint: "Rename the file, or the folder that it is in.",
    },
  );
}

/** Measures the file now, because an agent may append in the meantime. */
function measure(path: string): { readonly sizeBytes: number; readonly sha256: string } {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for (const chunk of chunksOf(path, Number.POSITIVE_INFINITY)) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}

async function* bytesOf(
  manifest: Manifest,
  sources: readonly Source[],
): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from(`${JSON.stringify(manifest)}\n`);
  for (const [at, { sizeBytes, sha256 }] of manifest.files.entries()) {
    const path = sources[at]?.at ?? "";
    const hash = createHash("sha256");
    for (const chunk of chunksOf(path, sizeBytes)) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest("hex") !== sha256) {
      throw new ContinuoError("conflict", `${path} changed while it was packed`, {
        hint: "Try again; its agent may be running.",
      });
    }
  }
}

const CHUNK_BYTES = 1024 * 1024;

function* chunksOf(path: string, sizeBytes: number): Generator<Uint8Array, void, void> {
  const fd = openSync(path, "r");
  try {
    for (let left = sizeBytes; left > 0; ) {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, left));
      const count = readSync(fd, buffer);
      if (count === 0) return;
      left -= count;
      yield buffer.subarray(0, count);
    }
  } finally {
    closeSync(fd);
  }
}

/** Errors: `verification_failed`. */
async function verify(draft: string, packed: OpenedSession, signal: AbortSignal | undefined): Promise<void> {
  using unpacked = await unpackBundle(draft, present({ signal }));
  const { reader, found } = await lookUpSession(unpacked.location, { places: unpacked.places });
  using opened = await reader.open(found, unpacked.places, present({ signal }));
  const difference =
    opened.details.sessionId === packed.details.sessionId
      ? await firstDifference(packed.history(), opened.history())
      : "it has another id";
  if (difference === null) return;
  throw new ContinuoError("verification_failed", `the bundle reads differently: ${difference}`, {
    hint: "Run `continuo session check` to see whether the session is damaged; nothing was written.",
  });
}

function tooLarge(sessionId: string): ContinuoError {
  return new ContinuoError("too_large", `session ${sessionId} is too large for a bundle`, {
    details: { maxFiles: MAX_FILES, maxBytes: MAX_TOTAL_BYTES },
  });
}
