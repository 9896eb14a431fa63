/**
 * The temporary folder of one test run: in memory if the system has room for it, because a disk takes milliseconds for
 * each fsync and for each removed folder. It is removed as a whole when the run ends.
 */

import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning } from "@continuo/files";

const IN_MEMORY = "/dev/shm";
/** A run of the full size holds a few hundred megabytes at a time. */
const ROOM_BYTES = 4 * 1024 ** 3;

const NAME = "continuo-tests-";
const NAME_OF = /^continuo-tests-(\d+)-/u;

export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/** Opens the folder. Programs that start later find it in `TMPDIR`. First the folders of killed runs are removed. */
export function openTemporaryFolder(): TemporaryFolder {
  const before = process.env.TMPDIR;
  const base = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();
  for (const name of readdirSync(base)) {
    const pid = NAME_OF.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) remove(join(base, name));
  }
  const path = mkdtempSync(join(base, `${NAME}${process.pid}-`));
  // Postgres runs as another user.
  chmodSync(path, 0o711);
  process.env.TMPDIR = path;
  return {
    path,
    [Symbol.dispose]() {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      remove(path);
    },
  };
}

function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    if (process.env.CONTINUO_TESTS_ON_DISK !== undefined || !mayRunPrograms(folder)) return false;
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}

/**
 * Returns false for a folder on a `noexec` mount, as in many containers: tests start programs that they wrote. Throws
 * without `/proc`.
 */
function mayRunPrograms(folder: string): boolean {
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const [, , , options = "noexec"] = mounts.find((line) => line.split(" ")[1] === folder)?.split(" ") ?? [];
  return !options.split(",").includes("noexec");
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10 });
}
