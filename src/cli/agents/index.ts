/**
 * `continuo agents` and `continuo agents doctor`: which agents are installed, how they are driven, and what they can
 * do.
 *
 * Promises: the list starts no agent; the doctor starts one in a temporary home and sends nothing to a model.
 * Does not know: the protocol of any agent.
 */

export { addAgentsCommand } from "./commands.ts";
