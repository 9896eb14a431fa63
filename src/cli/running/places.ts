/**
 * The sockets of running processes are in a folder of Continuo's home that only the user can enter. A process that can
 * connect belongs to the user, and nobody else can put a socket there.
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
 * A name for the build to which a file belongs: another build of the same version has another name. The files of a
 * package have the times of its archive, so the time of the installation is used.
 */
export function programOf(file: string): string {
  const { ino, ctimeMs } = statSync(file);
  return `${ino.toString(36)}-${Math.floor(ctimeMs).toString(36)}`;
}

/** The socket of this process, for commands of this build; `null` if it cannot exist. */
export function ownSocket(program: string, places: Places): string | null {
  const path = join(socketFolder(places), `${program}-${process.pid}`);
  const isPossible = process.getuid !== undefined && Buffer.byteLength(path) <= RUNNING_LIMITS.pathBytes;
  return isPossible ? path : null;
}

/** The paths of all sockets; none if another user could have put one there. */
export function socketsOf(places: Places, user: number | undefined = process.getuid?.()): readonly string[] {
  const folder = socketFolder(places);
  try {
    return isPrivate(folder, places, user) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  } catch {
    // The folder does not exist, because no process has run here.
    return [];
  }
}

/** Errors: those of the system, if the folder does not exist. */
export function isPrivate(
  folder: string,
  places: Places,
  user: number | undefined = process.getuid?.(),
): boolean {
  const own = lstatSync(folder);
  // A user who can write to the parent folder could replace this one.
  const above = statSync(continuoHome(places));
  return (
    own.isDirectory() &&
    own.uid === user &&
    (own.mode & OTHERS) === 0 &&
    above.uid === user &&
    (above.mode & OTHERS_WRITE) === 0
  );
}

/**
 * Facts that a command cannot give to a running process: both must have the same user, files, processes and time zone.
 * The language is not among them, because no output depends on it, and a server that the system started has none.
 */
export function surroundings(env: Places["env"]): string {
  return JSON.stringify([process.getuid?.(), namespace("mnt"), namespace("pid"), env.TZ ?? null]);
}

/** The namespace of this process, which differs between containers; empty if the system does not report it. */
function namespace(name: "mnt" | "pid"): string {
  try {
    return readlinkSync(`/proc/self/ns/${name}`);
  } catch {
    return "";
  }
}
