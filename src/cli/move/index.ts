/**
 * `continuo move`: a session and the changes in its work tree, to a file or to another machine.
 *
 * Promises: this machine keeps both until the other one confirmed that it has them.
 * Does not know: how a work tree is read and laid out.
 */

export { addMoveCommand, addReceiveCommand, addReceiveMirrorCommand } from "./commands.ts";
