/**
 * Reads bytes of a file by position. The file is plain or compressed with Zstandard (`.zst`), and is never changed.
 *
 * Reads of plain files are synchronous inside: one bounded read costs less than the use of the thread pool, and code
 * that reads much data lets other work run between reads (`lines.ts`).
 */

import { closeSync, constants, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { createZstdDecompress, type ZstdDecompress } from "node:zlib";
import { ContinuoError } from "@continuo/core/model";
import { ALWAYS_EXPANDED_BYTES, MAX_EXPANSION_RATIO, MAX_FRAMES } from "./limits.ts";

export interface ByteSource {
  /** Returns `length` bytes from `position`, fewer only at the end. The buffer belongs to the caller. */
  read(position: number, length: number): Promise<Buffer>;
  /** Returns why the bytes end too early (a compressed file is incomplete or damaged); otherwise `null`. */
  damage(): string | null;
  close(): void;
}

/** Errors: `not_found`, `unreadable`. */
export function openBytes(path: string): ByteSource {
  const fd = openForReading(path);
  if (!path.endsWith(".zst")) return plainBytes(path, fd);
  const { size } = fstatSync(fd);
  closeSync(fd);
  return zstdBytes(path, size);
}

/**
 * Never waits: a pipe without a writer is not a regular file, so it is refused. Errors: `not_found`, `unreadable`.
 */
export function openForReading(path: string): number {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
  } catch (cause) {
    throw toReadError(path, cause);
  }
  throw new ContinuoError("unreadable", `${path} is not a regular file`);
}

/** Turns what `node:fs` throws into `not_found` or `unreadable`. */
export function toReadError(path: string, cause: unknown): ContinuoError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new ContinuoError("not_found", `there is no file ${path}`, { cause });
  }
  return new ContinuoError("unreadable", `cannot read ${path}: ${message}`, { cause });
}

function plainBytes(path: string, fd: number): ByteSource {
  return {
    async read(position, length) {
      const buffer = Buffer.allocUnsafe(length);
      let filled = 0;
      try {
        while (filled < length) {
          const count = readSync(fd, buffer, filled, length - filled, position + filled);
          if (count === 0) break;
          filled += count;
        }
      } catch (cause) {
        throw toReadError(path, cause);
      }
      return buffer.subarray(0, filled);
    },
    damage: () => null,
    close: () => closeSync(fd),
  };
}

/** Reads a stream, which goes only forwards: a read before the current position starts the stream again. */
function zstdBytes(path: string, sizeBytes: number): ByteSource {
  const limit = Math.max(ALWAYS_EXPANDED_BYTES, sizeBytes * MAX_EXPANSION_RATIO);
  let stream = startZstd(path, sizeBytes);
  let window = createWindow();
  let ended = false;
  let damage: string | null = null;

  function end(why: string | null): void {
    ended = true;
    damage = why ?? damage;
  }

  async function pull(): Promise<void> {
    try {
      const next = await stream.chunks.next();
      if (next.done) end(null);
      else if (window.end() + next.value.length > limit) {
        stream.stop();
        end(`it expands to more than ${MAX_EXPANSION_RATIO} times its size`);
      } else window.push(next.value);
    } catch (cause) {
      end((cause as Error).message);
    }
  }

  return {
    async read(position, length) {
      if (position < window.start()) {
        stream.stop();
        stream = startZstd(path, sizeBytes);
        window = createWindow();
        ended = false;
      }
      window.forget(position);
      while (!ended && window.end() < position + length) {
        await pull();
        window.forget(position);
      }
      return window.copy(position, length);
    },
    damage: () => damage,
    close: () => stream.stop(),
  };
}

/** The pieces of a stream that are kept, by their position: each byte is copied only when it is read. */
interface Window {
  start(): number;
  end(): number;
  push(piece: Buffer): void;
  /** Drops the pieces that end before the position. */
  forget(position: number): void;
  copy(position: number, length: number): Buffer;
}

function createWindow(): Window {
  let pieces: Buffer[] = [];
  let [start, end] = [0, 0];
  return {
    start: () => start,
    end: () => end,
    push(piece) {
      pieces.push(piece);
      end += piece.length;
    },
    forget(position) {
      let count = 0;
      for (const piece of pieces) {
        if (start + piece.length > position) break;
        start += piece.length;
        count += 1;
      }
      if (count > 0) pieces = pieces.slice(count);
    },
    copy(position, length) {
      const copied = Buffer.allocUnsafe(Math.max(0, Math.min(length, end - position)));
      let at = start;
      for (const piece of pieces) {
        if (at >= position + copied.length) break;
        piece.copy(copied, Math.max(0, at - position), Math.max(0, position - at));
        at += piece.length;
      }
      return copied;
    },
  };
}

interface Expansion {
  readonly chunks: AsyncIterator<Buffer>;
  stop(): void;
}

function startZstd(path: string, sizeBytes: number): Expansion {
  let stopFrame = (): void => undefined;
  let isStopped = false;
  /**
   * A decompressor of Node ends after one frame. The next decompressor begins where the previous one stopped reading.
   */
  async function* expand(): AsyncGenerator<Buffer, void, void> {
    let start = 0;
    for (let frames = 0; !isStopped; frames++) {
      if (frames === MAX_FRAMES) throw new Error(`it has more than ${MAX_FRAMES} parts`);
      const { plain, stop } = startFrame(path, start);
      stopFrame = stop;
      try {
        yield* plain as AsyncIterable<Buffer>;
      } finally {
        stop();
      }
      start += plain.bytesWritten;
      if (start >= sizeBytes || plain.bytesWritten === 0) return;
    }
  }
  return {
    chunks: expand(),
    stop() {
      isStopped = true;
      stopFrame();
    },
  };
}

function startFrame(path: string, start: number): { plain: ZstdDecompress; stop: () => void } {
  const file = createReadStream(path, { start });
  const plain = createZstdDecompress();
  file.on("error", (error) => plain.destroy(error));
  // The decompressor also receives the bytes after the frame, and its error about them must not be left without a
  // listener.
  plain.on("error", () => file.destroy());
  file.pipe(plain);
  return {
    plain,
    stop() {
      file.destroy();
      plain.destroy();
    },
  };
}
