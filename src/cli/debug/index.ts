/**
 * The debug log: `debug.jsonl` in `CONTINUO_HOME`, one JSON object a line, for `--debug` and `CONTINUO_DEBUG`.
 *
 * Promises: only the user can read it, its size is bounded, and secrets are masked; a log that cannot be written ends no command.
 * Does not know: what the rooms say.
 */

export { debugLogPath, debugRooms, readDebugLog, startDebugLog } from "./debug-log.ts";
