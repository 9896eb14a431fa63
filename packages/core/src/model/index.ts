/**
 * The types that every other room uses: agents, messages, sessions, events, problems, errors, and the ports.
 *
 * Promises: pure.
 * Does not know: files, processes, clocks, networks, the format of any agent.
 */

export { appendNew } from "./append-new.ts";
export { cancellable, cancellableItems, isFailure, toCancelled } from "./cancellation.ts";
export { cutText, shorten } from "./cut-text.ts";
export {
  ContinuoError,
  ERROR_KINDS,
  type ErrorCode,
  type ErrorParts,
  exitCodeOf,
  hintOfCode,
  httpStatusOf,
  isContinuoError,
  isPassing,
  knownCode,
  messageOf,
  pageOfCode,
  rethrowForSession,
} from "./errors.ts";
export {
  type Actor,
  EVENT_KINDS,
  EVENT_TYPES,
  type EventKind,
  type EventType,
  eventsDocument,
  FIELD_KINDS,
  type FieldKind,
  type FromShape,
  fieldNames,
  fieldOf,
  isEvent,
  isEventType,
  type KnownEvent,
  type NewEvent,
  type Payload,
  payloadProblem,
  type Retention,
  retentionOf,
  type Shape,
  type StoredEvent,
  type Tombstone,
  type TranscriptUse,
} from "./events/index.ts";
export { CHAIN_START, type ChainedEvent, chainHash, payloadHash, type Sha256 } from "./hashes.ts";
export { createIds, type IdSource } from "./ids.ts";
export {
  canonicalJson,
  JSON_DEPTH_LIMIT,
  type JsonText,
  jsonLengthAtLeast,
  jsonTextOf,
  toJsonText,
  toWellFormed,
} from "./json.ts";
export { keepNewest } from "./keep-newest.ts";
export { knownError } from "./known-error.ts";
export { assertKnownOptions, type KnownOptions } from "./known-options.ts";
export * from "./messages/index.ts";
export { nearest } from "./nearest.ts";
export { type Once, once } from "./once.ts";
export { type OpenSession, openInAgent } from "./open-in-agent.ts";
export { assertChoice, assertNumbers } from "./option-values.ts";
export { listAll, readAll } from "./pages.ts";
export { toPlainJson } from "./plain-json.ts";
export * from "./ports/index.ts";
export { present } from "./present.ts";
export { commandLine, handOffCommand, shellWord } from "./shell-word.ts";
export { type ZipEntryFacts, type ZipRecords, zipEnd, zipRecords } from "./zip-layout.ts";
