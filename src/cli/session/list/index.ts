/**
 * `session list`, and its table and its JSON, which other commands print too.
 *
 * Promises: a shortened id names one session; programs read whole values between tabs; the keys of `--json` are a
 * contract.
 * Does not know: where sessions are found.
 */

export { checkedProblemToJson, detailsToJson, infoToJson, problemToJson, trashedToJson } from "./json.ts";
export { type ListFlags, type MissingSessions, missingOf, queryOf, reportMissing, runList } from "./list.ts";
export { describeProblem, isDamaged } from "./problems.ts";
export { drawSessions, EMPTY_TITLE } from "./rows.ts";
export { SHORT_ID_COLUMNS, shortIds } from "./short-ids.ts";
