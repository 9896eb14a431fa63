/**
 * The shared part of all agents' writers: the port `NativeWriter`, durable lines, and clocks and ids as values.
 *
 * Promises: a line is stored completely or not at all; an incomplete file has a name that no agent reads.
 * Does not know: any format, or who may write when.
 */

export { blocksGiven } from "./check-blocks.ts";
export {
  changeLines,
  openLineSink,
  RAW_SEPARATORS,
  toLines,
  writeBeside,
  writeNewFile,
  writeNewPieces,
  writeScratchLines,
  writeScratchTexts,
} from "./lines.ts";
export { freezeMakers, makersOfNow } from "./makers.ts";
export {
  checkMessage,
  type OpenCalls,
  openCallsIn,
  refuseBlock,
} from "./messages.ts";
export { isOwnProcess, lockNative, type NativeWriteOptions } from "./one-writer.ts";
export { type OtherProgram, othersWith, type SharedSession } from "./other-programs.ts";
export { withReplaced } from "./replace-ids.ts";
export type {
  Addition,
  ChildPlace,
  ChildRecords,
  KeptRecord,
  Makers,
  NativeWriter,
  NewMessage,
  NewSession,
  RecordSink,
  SideFile,
  SinkOptions,
  WriterHistory,
} from "./writer.ts";
