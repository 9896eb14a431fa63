/**
 * Mirrors: sessions of other machines, whose files arrive here while they grow there.
 *
 * Promises: what was acknowledged is on disk, and read like any session; a mirror is no second owner, and takes nothing more
 * once this machine took the session over.
 * Does not know: how the bytes arrive, or how a session is placed in its agent's folder.
 */

export {
  findMirror,
  listMirrors,
  lockMirror,
  lockTakeOver,
  type Mirror,
  type MirroredTree,
  type MirrorKey,
  mirrorFile,
  mirrorKey,
  mirrorTree,
  type OpenedMirror,
  openMirror,
  readMirror,
  removeOtherTrees,
  type TakenOver,
  writeMirror,
} from "./mirror.ts";
export { mirrorRow, mirrorRows } from "./rows.ts";
