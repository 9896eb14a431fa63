/**
 * Measures whole processes alternately: A B C A B C …, so that changes of the machine's speed affect all alike.
 *
 * Promises: medians and ratios of medians; a command that fails fails the benchmark.
 * Does not know: the measured commands.
 */

export { type Command, type Measurement, measure } from "./process.ts";
export { beginReport, print, printedReport, printRatios, printTable, type Ratio } from "./report.ts";
