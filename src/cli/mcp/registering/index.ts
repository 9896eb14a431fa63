/**
 * Adds Continuo's entries and files, such as the MCP server, to those of the agents, and removes them.
 *
 * Promises: everything else in a file stays byte for byte; only Continuo's own entry is removed; a file that belongs to
 * another user is neither read nor written.
 * Does not know: flags, questions and the terminal.
 */

export { applyEdit, diffOf, type Edit, inverseOf } from "./edit.ts";
export { type JsonMember, placeInJson } from "./json-file.ts";
export {
  changeFile,
  type Direction,
  type FilePlan,
  type Piece,
  type Plan,
  type PlannedChange,
  planOf,
} from "./plan.ts";
export { registrationOf, serverPiece } from "./registrations.ts";
export { agentsFor, serverCommand } from "./this-machine.ts";
