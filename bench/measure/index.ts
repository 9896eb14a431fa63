/**
 * Whole processes measured in turn: A B C A B C …, so that a machine whose speed drifts drifts for all.
 *
 * Promises: medians and ratios of medians; a command that fails fails the benchmark.
 * Does not know: what is measured.
 */

export { type Command, type Measurement, measure } from "./process.ts";
export { beginReport, print, printedReport, printRatios, printTable, type Ratio } from "./report.ts";
