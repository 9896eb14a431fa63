/**
 * The debug log: `debug.jsonl` in `CONTINUO_HOME`, one JSON object per line, for `--debug` and `CONTINUO_DEBUG`.
 *
 * Promises: only the user can read it, its size is bounded, and secrets are masked; no command ends because the log
 * cannot be written.
 * Does not know: the messages of the rooms.
 */

export { debugLogPath, debugRooms, readDebugLog, startDebugLog } from "./debug-log.ts";
