/**
 * Puts entries and files of ours among those of the agents, such as the MCP server, and takes them back.
 *
 * Promises: everything else in a file stays byte for byte; what is removed is our entry only; a file that is not the
 * user's own is neither read nor written.
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
  planOf,
  type Step,
} from "./plan.ts";
export { registrationOf, serverPiece } from "./registrations.ts";
export { agentsFor, serverCommand } from "./this-machine.ts";
