/**
 * Bytes of a file by position, plain or compressed with Zstandard (`.zst`). Nothing is ever written.
 *
 * Reads of plain files are synchronous inside: one bounded read costs less than a trip through the
 * thread pool, and whoever reads a lot lets other work run in between (`lines.ts`).
 */

import { closeSync, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { createZstdDecompress } from "node:zlib";
import { ContinuoError } from "../../model/index.ts";

export interface ByteSource {
  /** Up to `length` bytes from `position`; fewer only at the end. The buffer is the caller's own. */
  read(position: number, length: number): Promise<Buffer>;
  /** Why the bytes end before they should (a compressed file that is cut or damaged), else `null`. */
  damage(): string | null;
  close(): void;
}

/** Errors: `not_found`, `unreadable`. */
export function openBytes(path: string): ByteSource {
  const fd = openForReading(path);
  if (!path.endsWith(".zst")) return plainBytes(path, fd);
  closeSync(fd);
  return zstdBytes(path);
}

function openForReading(path: string): number {
  try {
    const fd = openSync(path, "r");
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
  } catch (cause) {
    throw toReadError(path, cause);
  }
  throw new ContinuoError("unreadable", `${path} is no regular file`);
}

/** Turns what `node:fs` throws into `not_found` or `unreadable`. */
export function toReadError(path: string, cause: unknown): ContinuoError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new ContinuoError("not_found", `no such file: ${path}`, { cause });
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

/** A stream that can only go forwards: a read behind the current position starts it again. */
function zstdBytes(path: string): ByteSource {
  let stream = startZstd(path);
  let start = 0;
  let held: Buffer = Buffer.alloc(0);
  let ended = false;
  let damage: string | null = null;

  async function pull(): Promise<void> {
    try {
      const next = await stream.chunks.next();
      if (next.done) ended = true;
      else held = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
    } catch (cause) {
      ended = true;
      damage = (cause as Error).message;
    }
  }

  return {
    async read(position, length) {
      if (position < start) {
        stream.stop();
        stream = startZstd(path);
        start = 0;
        held = Buffer.alloc(0);
        ended = false;
      }
      while (!ended && start + held.length < position + length) {
        await pull();
        const passed = Math.min(position - start, held.length);
        if (passed > 0) {
          held = held.subarray(passed);
          start += passed;
        }
      }
      const from = position - start;
      return Buffer.from(held.subarray(from, from + length));
    },
    damage: () => damage,
    close: () => stream.stop(),
  };
}

function startZstd(path: string): { chunks: AsyncIterator<Buffer>; stop: () => void } {
  const file = createReadStream(path);
  const plain = createZstdDecompress();
  file.on("error", (error) => plain.destroy(error));
  file.pipe(plain);
  return {
    chunks: plain[Symbol.asyncIterator]() as AsyncIterator<Buffer>,
    stop() {
      file.destroy();
      plain.destroy();
    },
  };
}
