/**
 * `continuo agents` and `continuo agents doctor`: which agents are here, how they are driven, and what they can do.
 *
 * Promises: the list starts no agent; the doctor starts one in a home of its own, which is thrown away, and asks
 * no model. Does not know: any agent's protocol.
 */

export { addAgentsCommand } from "./commands.ts";
