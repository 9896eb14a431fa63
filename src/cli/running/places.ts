/**
 * The sockets of running processes: in a folder of Continuo's home that only the user can enter. A process that can connect
 * is the user's, and nobody else can put a socket there.
 */

import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { continuoHome, type Places } from "@continuo/files";
import { RUNNING_LIMITS } from "./limits.ts";

const OTHERS_WRITE = 0o022;
const OTHERS = 0o077;

export function socketFolder(places: Places): string {
  return join(continuoHome(places), "running");
}

/**
 * A name for the build that a file belongs to: another build of the same version has another one, too. Times of a package's
 * files are those of its archive, so that the time is that of the installation.
 */
export function programOf(file: string): string {
  const { ino, ctimeMs } = statSync(file);
  return `${ino.toString(36)}-${Math.floor(ctimeMs).toString(36)}`;
}

/** The socket of this process, for commands of this build; `null` if there can be none. */
export function ownSocket(program: string, places: Places): string | null {
  const path = join(socketFolder(places), `${program}-${process.pid}`);
  const isPossible = process.getuid !== undefined && Buffer.byteLength(path) <= RUNNING_LIMITS.pathBytes;
  return isPossible ? path : null;
}

/** The paths of all sockets; none where another user could have put one there. */
export function socketsOf(places: Places, user: number | undefined = process.getuid?.()): readonly string[] {
  const folder = socketFolder(places);
  try {
    return isPrivate(folder, places, user) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  } catch {
    // No process has run here.
    return [];
  }
}

/** Errors: those of the system, where the folder is not there. */
export function isPrivate(
  folder: string,
  places: Places,
  user: number | undefined = process.getuid?.(),
): boolean {
  const own = lstatSync(folder);
  // Who can write to the folder above could replace this one.
  const above = statSync(continuoHome(places));
  return (
    own.isDirectory() &&
    own.uid === user &&
    (own.mode & OTHERS) === 0 &&
    above.uid === user &&
    (above.mode & OTHERS_WRITE) === 0
  );
}

/** The facts that a process cannot take over from a command: both see the same files, and write times and words alike. */
export function surroundings(env: Places["env"]): string {
  const words = Object.entries(env).filter(([name]) => /^(?:TZ|LANG|LANGUAGE|LC_\w+)$/u.test(name));
  return JSON.stringify([process.getuid?.(), namespace("mnt"), namespace("pid"), words.sort()]);
}

/** Containers have their own; empty where the system does not say. */
function namespace(name: "mnt" | "pid"): string {
  try {
    return readlinkSync(`/proc/self/ns/${name}`);
  } catch {
    return "";
  }
}
