/**
 * `continuo approvals …`: lists the questions of agents that wait for a person, and answers them.
 *
 * Promises: a question is shown completely, and its text cannot control the terminal; the first answer counts.
 * Does not know: how an approval is stored, or which process runs the agent.
 */

export { addApprovalsCommands } from "./commands.ts";
