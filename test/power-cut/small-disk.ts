/** A disk of a few megabytes in memory, which tests fill or make read-only. Only root can create one. */

import { execFileSync, spawnSync } from "node:child_process";
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PAGE = 4096;

export interface SmallDisk extends Disposable {
  readonly folder: string;
  /** Leaves this number of pages free, until `free` is called. */
  fill(pages: number): void;
  free(): void;
  /** Makes the disk read-only. Returns false while a file on it is open for writing. */
  readOnly(): boolean;
  writable(): void;
}

/** Returns `null` if this machine permits no mount. */
export function openSmallDisk(size = "16m"): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), "continuo-small-disk-"));
  const filler = join(folder, "filler");
  const remount = (how: "ro" | "rw"): boolean =>
    spawnSync("mount", ["-o", `remount,${how}`, folder], { stdio: "ignore" }).status === 0;
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmdirSync(folder);
    return null;
  }
  return {
    folder,
    fill: (pages) => {
      const fd = openSync(filler, "w");
      const size = writtenUntilFull(fd);
      ftruncateSync(fd, Math.max(0, size - pages * PAGE));
      closeSync(fd);
    },
    free: () => rmSync(filler, { force: true }),
    readOnly: () => remount("ro"),
    writable: () => void remount("rw"),
    [Symbol.dispose]: () => {
      execFileSync("umount", ["-l", folder]);
      rmdirSync(folder);
    },
  };
}

function writtenUntilFull(fd: number): number {
  const page = Buffer.alloc(PAGE);
  try {
    for (;;) writeSync(fd, page);
  } catch {
    return fstatSync(fd).size;
  }
}
