/**
 * `continuo stats` and `continuo statusline`: sessions, turns, tokens and cost, by time, session, agent, project or
 * model.
 *
 * Promises: every model call counts once; a model without a price is named, and never counted as free.
 * Does not know: how sessions are read, or the prices of models.
 */

export { addStatsCommand, addStatuslineCommand } from "./commands.ts";
export { pricesWork, usageWork } from "./work.ts";
