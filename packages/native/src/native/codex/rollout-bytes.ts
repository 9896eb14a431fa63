/** Rollouts that Codex compressed (`.jsonl.zst`), as the bytes that they were before. */

import { readFileSync } from "node:fs";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { isCompressed } from "@continuo/files/records";
import { MAX_MENDED_BYTES } from "../repairing/index.ts";

/** `null` for a file that is damaged, or larger than what Continuo changes in memory. */
export function contentOf(path: string): Buffer | null {
  const bytes = readFileSync(path);
  if (!isCompressed(path)) return bytes;
  try {
    return expanded(bytes);
  } catch {
    return null;
  }
}

/**
 * Changes the content of a compressed file. If the content does not change, the file keeps its bytes, because another
 * compressor would make other bytes of the same content.
 */
export function changedInside(change: (content: Buffer) => Buffer): (bytes: Buffer) => Buffer {
  return (bytes) => {
    const content = expanded(bytes);
    const changed = change(content);
    return changed.equals(content) ? bytes : zstdCompressSync(changed);
  };
}

interface ExpandedFrame {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/**
 * Decompresses all frames, one after the other, because Node stops after the first one. Errors: those of the system for
 * bytes that are not a complete frame, and for more than `MAX_MENDED_BYTES` of content.
 */
function expanded(bytes: Buffer): Buffer {
  const frames: Buffer[] = [];
  let room = MAX_MENDED_BYTES;
  for (let at = 0; at < bytes.length; ) {
    const options = { maxOutputLength: Math.max(1, room), info: true };
    // With `info`, Node also returns the decompressor, which knows where the frame ends; its types do not show this.
    const frame = zstdDecompressSync(bytes.subarray(at), options) as unknown as ExpandedFrame;
    frames.push(frame.buffer);
    room -= frame.buffer.length;
    at += frame.engine.bytesWritten;
  }
  return Buffer.concat(frames);
}
