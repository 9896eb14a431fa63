/**
 * What an engine is, and what rules and engines share: statements, scopes, limits, and who waits for what.
 *
 * Promises: no SQL of its own but for blobs in rows. Knows nothing of any database, or of the rules.
 */

export { Changes, type Watcher } from "./changes.ts";
export { chunkBodies } from "./chunk-bodies.ts";
export type { Engine } from "./engine.ts";
export { LIMITS } from "./limits.ts";
export type { Extras, PreparedEvent } from "./prepared.ts";
export {
  type Bounds,
  type Dialect,
  type EventRow,
  query,
  type Row,
  type Scope,
  type Segment,
  type SqlValue,
  type Statement,
  sql,
  type Transaction,
  type Work,
} from "./work.ts";
