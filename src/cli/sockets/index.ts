/**
 * Sockets that only the user of this machine can open: of a viewer for other commands, and of the agent host for
 * editors.
 *
 * Promises: no secret is on disk, because the folder of the sockets is private; a socket that a killed process left is
 * replaced, and one at which a process answers is not.
 * Does not know: what the processes at the two ends say.
 */

export { type EditorSocket, openEditorSocket } from "./editor-socket.ts";
export { listens, socketPath, viewerFolderOf } from "./private-socket.ts";
