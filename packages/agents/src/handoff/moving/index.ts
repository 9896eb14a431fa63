/**
 * Moves: a session and the state of its work tree, packed on one machine and placed on another.
 *
 * Promises: packing changes nothing; the work tree of the other machine shows the same changes, and the session is read
 * back there, by its agent if that is installed; after an error, this machine still has the session. With a connection,
 * this machine has it until the other one confirms that it placed the session, so it is on at least one of them.
 * Does not know: how a bundle or a connection gets to the other machine, or how a session that left is marked.
 */

export { errorLine, type MoveChannel, openChannel, openChannelOver } from "./channel.ts";
export { lineAs } from "./lines.ts";
export { folderOfMove } from "./move-folder.ts";
export { type PackedMove, type PackMoveOptions, packMove, repositoryOfSession } from "./pack-move.ts";
export { applyInto, cwdIn, type PlacedMove, type PlaceMoveOptions, placeMove } from "./place-move.ts";
export { type ReceiveMoveOptions, receiveMove } from "./receive-move.ts";
export { type FoundPlacing, type PlacementStart, placedSince } from "./recover-placement.ts";
export { type MoveConnection, type SendMoveOptions, type SentMove, sendMove } from "./send-move.ts";
