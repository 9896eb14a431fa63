/**
 * Places an edit among the user's files: writes a note, stages the new state, and moves it into place in one step.
 *
 * Promises: the note is on disk before the first change; after the next edit either the old session or the new one is
 * there, and nothing else; a repeated edit finds the session that the first attempt placed.
 * Does not know: the format of any agent, or the content of an edit.
 */

export { type AppendRecordsOptions, againOnConflict, appendRecords } from "./append.ts";
export {
  type AppendNote,
  beginNote,
  type EmptyNote,
  isGone,
  type Note,
  notesLeft,
  type PlaceNote,
  type RenameNote,
  type RestoreNote,
  type TrashNote,
  type UnfinishedNote,
  underNote,
} from "./notes.ts";
export {
  attemptKey,
  finishPlaced,
  type Placement,
  type PlaceOptions,
  placeSession,
  takeFirstAttempt,
} from "./place.ts";
export { settleAppend } from "./settle-files.ts";
export { type StageOptions, stageRecords } from "./stage.ts";
export { stagedPath, stagedPlaces } from "./staged-places.ts";
export { finishTitle, placeTitle } from "./title.ts";
