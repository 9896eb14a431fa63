/**
 * From what the configuration says of an agent to its driver, and to what the agent itself lists.
 *
 * Promises: nothing is started before it is asked; an agent that lists nothing has no sessions to tell.
 * Does not know: any agent's protocol, whether a person trusts the configuration, how a row is shown.
 */

export { openDriver } from "./driver.ts";
export { isToldAlone, toldSessions } from "./told.ts";
