/**
 * Registers the MCP server with agents, in the file where each of them keeps such servers.
 *
 * Promises: everything else in a file stays byte for byte; what is removed is our entry only; a file that is not the
 * user's own is neither read nor written.
 * Does not know: flags, questions and the terminal.
 */

export { applyEdit, diffOf, type Edit, inverseOf } from "./edit.ts";
export { readEditRecord, removeEditRecord, saveEditRecord } from "./edit-records.ts";
export { type JsonMember, placeInJson } from "./json-file.ts";
export { type Registration, registrationOf } from "./registrations.ts";
export { readSettings, type Settings, writeSettings } from "./settings-file.ts";
export { agentsFor, serverCommand } from "./this-machine.ts";
