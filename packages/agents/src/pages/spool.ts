/** Keeps the texts of a session in a private file without a name, with random access. */

import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The number of bytes that are held in memory before they are written. */
const HELD_BYTES = 1024 * 1024;

export interface SpoolPlace {
  readonly offset: number;
  readonly length: number;
}

export interface Spool {
  add(text: string): SpoolPlace;
  read(place: SpoolPlace): string;
  close(): void;
}

/** A short session is never written to the file. */
export function createSpool(): Spool {
  let file: number | null = null;
  let written = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  const flush = (): void => {
    file ??= openScratch();
    const bytes = Buffer.concat(held);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, written + at);
    written += bytes.length;
    held = [];
    heldBytes = 0;
  };
  return {
    add(text) {
      const bytes = Buffer.from(text);
      const place = { offset: written + heldBytes, length: bytes.length };
      held.push(bytes);
      heldBytes += bytes.length;
      if (heldBytes > HELD_BYTES) flush();
      return place;
    },
    read({ offset, length }) {
      if (offset >= written) {
        if (held.length > 1) held = [Buffer.concat(held)];
        return held[0]?.toString("utf8", offset - written, offset - written + length) ?? "";
      }
      const bytes = Buffer.alloc(length);
      for (let at = 0; at < length; ) {
        const count = readSync(file ?? -1, bytes, at, length - at, offset + at);
        if (count === 0) throw new Error("the spool lacks a text that was added to it");
        at += count;
      }
      return bytes.toString();
    },
    close() {
      if (file !== null) closeSync(file);
      file = null;
      held = [];
    },
  };
}

/** Opens a file without a name, so that nothing is left, however the process ends. */
function openScratch(): number {
  const folder = mkdtempSync(join(tmpdir(), "continuo-view-"));
  try {
    return openSync(join(folder, "spool"), "wx+", 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
