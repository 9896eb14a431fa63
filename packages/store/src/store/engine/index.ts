/**
 * The port of an engine, and what the rules and the engines share: statements, scopes, limits, and waiting.
 *
 * Promises: no SQL of its own, except for blobs in rows and the words of an upsert that both databases share.
 * Does not know: any database, or the rules.
 */

export { type BodyPlace, type BodyPlaces, bodyPlaces } from "./body-places.ts";
export { Changes, noteAppended, noteChanged, type Watcher } from "./changes.ts";
export { chunkBodies } from "./chunk-bodies.ts";
export { type Engine, engineOfWorkspace, type LongStatement } from "./engine.ts";
export { LIMITS } from "./limits.ts";
export type { Extras, PreparedEvent } from "./prepared-event.ts";
export { countedLease, measuredAppend, storeMeter } from "./telemetry.ts";
export { textOnce } from "./texts.ts";
export {
  type AppendedRows,
  type Dialect,
  type EventRow,
  query,
  type Row,
  type Scope,
  type Segment,
  type SqlValue,
  type Statement,
  scanWorkOf,
  sql,
  type Transaction,
  UPSERT,
  type Witness,
  type Work,
} from "./work.ts";
