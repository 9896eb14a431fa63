/** Sockets in a private folder of the user: their paths, and how a process takes one. */

import { chmodSync, rmSync } from "node:fs";
import { connect, type Server } from "node:net";
import { join } from "node:path";
import { continuoHome, makeScratchFolder, type Places } from "@continuo/files";

/** A longer path is cut by the system. */
const MAX_PATH = 100;

/** The folder of files of running viewers, which only the user can read. Errors: those of the system. */
export function viewerFolderOf(places: Places): string {
  const folder = join(continuoHome(places), "viewer");
  makeScratchFolder(folder);
  chmodSync(folder, 0o700);
  return folder;
}

/** `null` on a system without such sockets, or if the path is too long for one. */
export function socketPath(places: Places, name = "socket"): string | null {
  const path = join(viewerFolderOf(places), name);
  return process.platform === "win32" || Buffer.byteLength(path) > MAX_PATH ? null : path;
}

/** Returns false if another process answers at the path, or if the server cannot listen there. */
export async function listens(server: Server, path: string): Promise<boolean> {
  if (await listensNow(server, path)) return true;
  const other = connect(path);
  const isAlive = await new Promise<boolean>((resolve) => {
    other.once("connect", () => resolve(true)).once("error", () => resolve(false));
  });
  other.destroy();
  if (isAlive) return false;
  // A viewer that was killed left it.
  rmSync(path, { force: true });
  return await listensNow(server, path);
}

function listensNow(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const fail = (): void => resolve(false);
    server.once("error", fail).listen(path, () => {
      server.off("error", fail).on("error", () => undefined);
      resolve(true);
    });
  });
}
