/** The machine that keeps a mirror. It acknowledges bytes when they are on its disk. */

import { closeSync, existsSync, fstatSync, fsyncSync, openSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { ContinuoError, isContinuoError } from "@continuo/core/model";
import {
  createFile,
  makeFolderDurably,
  type Places,
  removeLeft,
  renameDurably,
  statFile,
} from "@continuo/files";
import {
  lockMirror,
  type Mirror,
  type MirroredTree,
  type MirrorKey,
  mirrorFile,
  mirrorTree,
  readMirror,
  removeOtherTrees,
  writeMirror,
} from "@continuo/native/editing/mirrors";
import { errorLine, lineAs, type MoveChannel } from "../moving/index.ts";
import { fingerprintOf, readPackedState } from "../work-tree/index.ts";
import { hashOfFile } from "./files.ts";
import { SILENT_MS } from "./limits.ts";
import { type Answer, type Hello, hello, keep, type MirroredPath, type Request, request } from "./lines.ts";

export interface ReceiveMirrorOptions {
  readonly places: Places;
  readonly channel: MoveChannel;
  /** The error for a connection that ended early. */
  readonly broken: (why: string, cause?: unknown) => ContinuoError;
  /** Called before anything is written. */
  readonly onBegun?: (mirrored: MirrorKey) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves when the other machine ends the connection. Each error is also sent to the other machine, if it still
 * listens.
 */
export async function receiveMirror(options: ReceiveMirrorOptions): Promise<void> {
  const { channel, broken } = options;
  const other = { host: "the other machine", broken };
  try {
    const key = lineAs(hello, await heard(options), other);
    await options.onBegun?.(key);
    await channel.writeLine(await begin(key, options));
    for (;;) {
      const line = await heard(options);
      if (line === null) return;
      await channel.writeLine(await answerTo(lineAs(request, line, other), key, options));
    }
  } catch (error) {
    if (!channel.isBroken()) await channel.writeLine(errorLine(error)).catch(() => undefined);
    throw error;
  }
}

/** Reads the next line within a time limit: the connection of a machine that lost its power may stay open for hours. */
async function heard({ channel, broken }: ReceiveMirrorOptions): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(broken("the other machine is silent")), SILENT_MS);
  });
  try {
    return await Promise.race([channel.readLine(), silence]);
  } finally {
    clearTimeout(timer);
  }
}

type Change = (mirror: Mirror | null) => Answer;

/** After this machine has taken the session over, nothing more is written. */
async function changing(key: Hello, options: ReceiveMirrorOptions, change: Change): Promise<Answer> {
  const { places, signal } = options;
  const lock = await lockMirror(key, places, signal);
  try {
    const mirror = readMirror(key, places);
    if (mirror?.takenOver != null) {
      const { at, session } = mirror.takenOver;
      return { takenOver: { host: hostname(), at, session } };
    }
    return change(mirror);
  } finally {
    lock.release();
  }
}

async function begin(key: Hello, options: ReceiveMirrorOptions): Promise<Answer> {
  const { mirror: _version, ...named } = key;
  return await changing(key, options, (mirror) => {
    writeMirror({ ...named, takenOver: null, workTree: mirror?.workTree ?? null }, options.places);
    return { mirroring: 1 };
  });
}

async function answerTo(wish: Request, key: Hello, options: ReceiveMirrorOptions): Promise<Answer> {
  const { channel } = options;
  if ("has" in wish) return { file: await stateOf(placeOf(wish.has, key, options)) };
  if ("workTree" in wish) return await takeTree(wish.workTree, key, options);
  if ("empty" in wish) {
    const { path } = wish.empty;
    return await changing(key, options, () => {
      const to = placeOf(wish.empty, key, options);
      removeLeft(to);
      makeFolderDurably(dirname(to));
      createFile(to);
      return { acknowledged: { path, sizeBytes: 0 } };
    });
  }
  if ("alive" in wish) return await changing(key, options, () => ({ mirroring: 1 }));
  if ("replace" in wish) return await replace(wish.replace, key, options);
  const { path, offset, sizeBytes } = wish.append;
  const chunks: Buffer[] = [];
  for await (const chunk of channel.readBytes(sizeBytes)) chunks.push(chunk);
  return await changing(key, options, () => {
    append(placeOf(wish.append, key, options), offset, chunks);
    return { acknowledged: { path, sizeBytes: offset + sizeBytes } };
  });
}

function placeOf({ path, tree }: MirroredPath, key: Hello, { places }: ReceiveMirrorOptions): string {
  return tree === undefined ? mirrorFile(key, path, places) : join(mirrorTree(key, tree, places), path);
}

/** The last file of a work tree confirms that the others are complete; the previous work tree is then removed. */
async function takeTree(tree: MirroredTree, key: Hello, options: ReceiveMirrorOptions): Promise<Answer> {
  const { places } = options;
  return await changing(key, options, (mirror) => {
    if (mirror === null || !isWhole(mirrorTree(key, tree.sha256, places), tree.sha256))
      return { workTree: "missing" };
    writeMirror({ ...mirror, workTree: tree }, places);
    removeOtherTrees(key, tree.sha256, places);
    return { workTree: "there" };
  });
}

function isWhole(packed: string, sha256: string): boolean {
  try {
    return fingerprintOf(readPackedState(packed)) === sha256;
  } catch (error) {
    if (isContinuoError(error)) return false;
    throw error;
  }
}

async function stateOf(path: string): Promise<{ readonly sizeBytes: number; readonly sha256: string }> {
  const sizeBytes = statFile(path)?.sizeBytes ?? 0;
  return { sizeBytes, sha256: await hashOfFile(path, sizeBytes) };
}

/** Errors: `busy` if an older connection of the same machine wrote in the meantime. */
function append(path: string, offset: number, chunks: readonly Buffer[]): void {
  makeFolderDurably(dirname(path));
  if (!existsSync(path)) createFile(path);
  const fd = openSync(path, "a");
  try {
    if (fstatSync(fd).size !== offset) throw otherWriter();
    for (const chunk of chunks) writeAll(fd, chunk);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function writeAll(fd: number, chunk: Buffer): void {
  for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
}

/** Replaces a file as a whole, so that it is never incomplete. */
async function replace(
  { path, sizeBytes }: { readonly path: string; readonly sizeBytes: number },
  key: Hello,
  options: ReceiveMirrorOptions,
): Promise<Answer> {
  const { places, channel, broken } = options;
  const to = mirrorFile(key, path, places);
  const arriving = `${to}.arriving-${process.pid}`;
  makeFolderDurably(dirname(to));
  try {
    createFile(arriving);
    const fd = openSync(arriving, "a");
    try {
      for await (const chunk of channel.readBytes(sizeBytes)) writeAll(fd, chunk);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    const isWhole = lineAs(keep, await heard(options), { host: "the other machine", broken }).keep;
    return await changing(key, options, () => {
      if (isWhole) renameDurably(arriving, to);
      return { acknowledged: { path, sizeBytes: statFile(to)?.sizeBytes ?? 0 } };
    });
  } finally {
    removeLeft(arriving);
  }
}

function otherWriter(): ContinuoError {
  return new ContinuoError("busy", "an older connection still writes to this mirror", {
    hint: "Wait until it has ended, within a minute.",
  });
}
