/** Unpacks a bundle into a private folder, where the session can be read like any other. */

import { createHash } from "node:crypto";
import { closeSync, createReadStream, openSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { createGunzip } from "node:zlib";
import { type AgentName, ContinuoError } from "@continuo/core/model";
import { makeScratchFolder, openScratch, type Places, parseJson } from "@continuo/files";
import { formatOf } from "@continuo/native";
import { FREE_EXPANSION_BYTES, MAX_EXPANSION, MAX_MANIFEST_BYTES } from "./limits.ts";
import { type BundledFile, type Manifest, noBundle, parseManifest, WORK_TREE } from "./manifest.ts";

export interface UnpackedSession extends Disposable {
  readonly agent: AgentName;
  readonly sessionId: string;
  /** The folder of the session on the other machine. */
  readonly cwd: string | null;
  readonly title: string | null;
  readonly packedAt: string;
  /** The location of the session in `places`. */
  readonly location: string;
  /** A private home folder. It is removed when this object is disposed. */
  readonly places: Places;
  /**
   * `packed` is the folder with the packed state of the work tree; `folder` is where the work tree is on the other
   * machine. `null` if the bundle has no work tree.
   */
  readonly workTree: { readonly packed: string; readonly folder: string } | null;
}

/**
 * Errors: `not_found`, `unreadable`; `corrupt` for an incomplete bundle, for one that expands to more bytes than it
 * states, and for one that does not contain the session that it names; `unsupported` for a newer version.
 */
export async function unpackBundle(
  path: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<UnpackedSession> {
  const scratch = openScratch();
  try {
    const home = join(scratch.path, "home");
    makeScratchFolder(home);
    const manifest = await unpackInto(home, path, options.signal);
    const { agent, sessionId, cwd, title, packedAt, main, row, workTree } = manifest;
    const places: Places = { home, env: {} };
    const location = `${join(home, main)}${row === null ? "" : `#${row}`}`;
    const found = await (await formatOf(agent)).recognise(location, places);
    if (found?.sessionId !== sessionId) throw noBundle("it does not hold the session that it names");
    return {
      agent,
      sessionId,
      cwd,
      title,
      packedAt,
      location,
      places,
      workTree: workTree === undefined ? null : { packed: join(home, WORK_TREE), folder: workTree.folder },
      [Symbol.dispose]: () => scratch[Symbol.dispose](),
    };
  } catch (error) {
    scratch[Symbol.dispose]();
    throw error;
  }
}

async function unpackInto(home: string, path: string, signal: AbortSignal | undefined): Promise<Manifest> {
  const most = FREE_EXPANSION_BYTES + MAX_EXPANSION * sizeOf(path);
  const head: Buffer[] = [];
  let headBytes = 0;
  let files: FileWriter | null = null;
  let manifest: Manifest | null = null;
  let total = 0;
  try {
    for await (const chunk of bytesOf(path, signal)) {
      total += chunk.length;
      if (total > most) throw noBundle("it expands to more data than any conversation has");
      if (files !== null) {
        files.write(chunk);
        continue;
      }
      const end = chunk.indexOf(0x0a);
      head.push(end < 0 ? chunk : chunk.subarray(0, end));
      headBytes += head.at(-1)?.length ?? 0;
      if (headBytes > MAX_MANIFEST_BYTES) throw noBundle("its first line is too long");
      if (end < 0) continue;
      manifest = parseManifest(parsed(Buffer.concat(head)));
      files = createFiles(home, manifest.files);
      files.write(chunk.subarray(end + 1));
    }
    if (manifest === null || files === null) throw noBundle("it ends early");
    files.end();
    return manifest;
  } finally {
    files?.close();
  }
}

async function* bytesOf(path: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer, void, void> {
  const file = createReadStream(path, signal === undefined ? {} : { signal });
  const gunzip = createGunzip();
  file.on("error", (error) => gunzip.destroy(error));
  try {
    for await (const chunk of file.pipe(gunzip)) yield chunk as Buffer;
  } catch (cause) {
    signal?.throwIfAborted();
    throw noBundle((cause as Error).message, cause);
  } finally {
    file.destroy();
    gunzip.destroy();
  }
}

function parsed(line: Buffer): unknown {
  try {
    return parseJson(line.toString("utf8"));
  } catch (cause) {
    throw noBundle("its first line is not JSON", cause);
  }
}

/** Errors: `not_found`, `unreadable`. */
function sizeOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    throw new ContinuoError("not_found", `there is no file ${path}`, {
      hint: "Create one with `continuo session export ID --bundle FILE`.",
    });
  }
  if (!stat.isFile()) throw new ContinuoError("unreadable", `cannot read ${path}: it is not a file`);
  return stat.size;
}

interface FileWriter {
  write(bytes: Uint8Array): void;
  /** Errors: `corrupt` if bytes are missing. */
  end(): void;
  close(): void;
}

/** Writes each file as its bytes arrive, and checks the hash of the file at its end. */
function createFiles(home: string, files: readonly BundledFile[]): FileWriter {
  let at = -1;
  let fd: number | null = null;
  let left = 0;
  let hash = createHash("sha256");
  const finish = (): void => {
    if (fd === null) return;
    closeSync(fd);
    fd = null;
    const { path, sha256 } = files[at] ?? { path: "", sha256: "" };
    if (hash.digest("hex") !== sha256) throw noBundle(`${JSON.stringify(path)} differs from the packed file`);
  };
  const next = (): boolean => {
    finish();
    at += 1;
    const file = files[at];
    if (file === undefined) return false;
    const target = join(home, ...file.path.split("/"));
    makeScratchFolder(dirname(target));
    fd = openSync(target, "wx", 0o600);
    left = file.sizeBytes;
    hash = createHash("sha256");
    return true;
  };
  return {
    write(bytes) {
      for (let from = 0; from < bytes.length; ) {
        if (left === 0 && !next()) throw noBundle("it contains more bytes than its list of files");
        const part = bytes.subarray(from, from + left);
        if (fd !== null) writeWhole(fd, part);
        hash.update(part);
        from += part.length;
        left -= part.length;
      }
    },
    end() {
      if (left > 0) throw noBundle("it ends early");
      while (next()) if (left > 0) throw noBundle("it ends early");
    },
    close() {
      if (fd !== null) closeSync(fd);
      fd = null;
    },
  };
}

function writeWhole(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
