/**
 * Mirrors: sessions of other machines, whose files arrive here while they grow there.
 *
 * Promises: acknowledged bytes are on disk, and are read like any session; a mirror is not a second owner, and accepts
 * nothing more after this machine took the session over.
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
  type MirrorTakeOver,
  mirrorFile,
  mirrorKey,
  mirrorTree,
  type OpenedMirror,
  openMirror,
  readMirror,
  removeOtherTrees,
  writeMirror,
} from "./mirror.ts";
export { mirrorRow, mirrorRows } from "./rows.ts";
