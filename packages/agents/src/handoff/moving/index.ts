/**
 * Moves: a session and the state of its work tree, packed on one machine and placed on another.
 *
 * Promises: packing changes nothing; the work tree of the other machine shows the same changes, the session is read back
 * there, by its agent where that is installed, and both are as they were where something fails.
 * Does not know: how a bundle gets to the other machine.
 */

export { type PackedMove, type PackMoveOptions, packMove, repositoryOfSession } from "./pack-move.ts";
export { type PlacedMove, type PlaceMoveOptions, placeMove } from "./place-move.ts";
