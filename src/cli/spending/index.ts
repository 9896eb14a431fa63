/**
 * What commands share about money: the prices that the configuration sets, and a cost as people read it.
 *
 * Promises: a cost that is not known is never drawn as nothing.
 * Does not know: prices, or where tokens come from.
 */

export { homeConfiguration } from "./configuration.ts";
export { drawCost } from "./draw.ts";
