/**
 * Files of this machine: where agents and Continuo keep theirs, durable private files, and locks between processes.
 *
 * Promises: reading writes nothing; a missing file is a value, not an exception; only the user can read a file or a
 * folder that is made here, and it is on disk when the call returns.
 * Does not know: any agent, or what a file means.
 */

export { type AppendOptions, appendLines, readAt, stateOfFile } from "./append.ts";
export { databaseFiles, fileOfLocation, hasLog, quotedName, readOnlyDatabase } from "./databases.ts";
export { DEBUG_ROOMS, type Debug, type DebugEntry, type DebugRoom, debugOf, followDebug } from "./debug.ts";
export {
  createFile,
  isFolder,
  makeFolderDurably,
  makeProjectFolder,
  makeScratchFolder,
  openScratch,
  removeDurably,
  removeLeft,
  removeLeftScratch,
  renameDurably,
  renameToFreeName,
  type Scratch,
  syncPath,
} from "./durable.ts";
export { capturesMessageContent, homeOfThisUser, placesOfThisUser, slowAppendMs } from "./environment.ts";
export {
  besideBundle,
  canonicalFolder,
  type FoundFile,
  filesBelow,
  listNames,
  mayBeWrittenSince,
  namesIn,
  packageFile,
  readJsonFile,
  readSmallFile,
  readVersion,
  statFile,
} from "./folders.ts";
export {
  type GitRepository,
  gitFolderAbove,
  gitPlaceOf,
  gitRemoteIn,
  gitRemoteOf,
  gitRepositoryOf,
  gitRootsOf,
  hasCommit,
  remoteName,
} from "./git.ts";
export { continuoFolders, continuoHome, moved } from "./home.ts";
export { idInPath } from "./id-in-path.ts";
export {
  entryOf,
  hasOnly,
  isJson,
  type Json,
  optional,
  parseCommented,
  textField,
  textOfValue,
  toTime,
} from "./json.ts";
export { lockSession, type WriterLock } from "./lock.ts";
export { copyDurably, keepDurably, moveDurably, placeDurably, unfinishedPath } from "./move.ts";
export { ancestorsOf, type ParentProcess, programsIn, type RunningProgram, writersOf } from "./open-files.ts";
export { assertAllowed, type OutputFile, type OutputFileOptions, openOutputFile } from "./output-file.ts";
export { type Places, type PlacesAt, placesOf } from "./places.ts";
export {
  idOfOwner,
  isOwnedHere,
  isOwnerGone,
  isRunning,
  ownerHere,
  type ProcessPlace,
  placeOfThisProcess,
  processStartOf,
  processStateOf,
} from "./process-start.ts";
export {
  exactOf,
  keepExact,
  MAX_RECORD_DEPTH,
  parseExactly,
  parseJson,
  TooDeepError,
} from "./records/index.ts";
export {
  holdersOf,
  type NativeSessionKey,
  noteHolder,
  removeHolder,
  type SessionHolder,
} from "./session-holders.ts";
export { createSharedFile, readSharedFile, replaceSharedFile } from "./shared-file.ts";
export { type AcceptedConnection, type SocketUser, userOfPeer, usersListening } from "./socket-users.ts";
export { splitLines } from "./split-lines.ts";
export {
  type Attributes,
  createMeter,
  inRemoteSpan,
  inSpan,
  type Measurement,
  type Meter,
  type Metric,
  type Observation,
  type OpenSpan,
  observed,
  onMeasurement,
  openSpan,
  recordSpan,
  type SpanOptions,
} from "./telemetry/index.ts";
export {
  type RecordFile,
  type RecordFileOptions,
  recordFile,
  withDraft,
  writeDraft,
  writeDurably,
} from "./write-durably.ts";
export { isWriteFailure, reasonOf, writeFailure } from "./write-failure.ts";
export { type ZipEntry, zipChunks } from "./zip.ts";
