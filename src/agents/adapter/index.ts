/**
 * Sessions of agents, written: who may write when, and how bytes get to the disk. Each agent's own part is a
 * `NativeWriter` in its folder.
 *
 * Promises: nothing is opened before the first call; what was acknowledged is on disk and was read back; a
 * write that fails leaves the session as it was, and what a killed process left half written is taken back by the
 * next one; two writers of Continuo do not tear a call from its result.
 * Does not know: any format.
 */

export {
  type AdapterFormat,
  type AdapterParts,
  createAdapter,
  type ImageInput,
  type SessionAdapter,
  type SessionMetadata,
} from "./adapter.ts";
export { openLineSink, RAW_SEPARATORS, toLines, writeBeside, writeNewFile } from "./lines.ts";
export { type LockOptions, lockSession, type WriterLock } from "./lock.ts";
export { makersOfNow, type RecordedMakers, recordMakers } from "./makers.ts";
export { imageTypesOf, refuseBlock } from "./messages.ts";
export { type Replacement, withReplaced } from "./replaced.ts";
export { isGone, noted, placeBeside, takeBackUnfinished } from "./unfinished.ts";
export type {
  Addition,
  Before,
  BesideFile,
  KeptRecord,
  Makers,
  NativeWriter,
  NewMessage,
  NewSession,
  RecordSink,
  RenameAddition,
  Renaming,
} from "./writer.ts";
