/**
 * Evidence: what clients send, checked and stored; the pictures of frames and the time for which they stay.
 *
 * Promises: a picture stays as long as an event refers to it and its time has not passed.
 * Does not know: batches, notes.
 */

export { type AudioFields, type AudioUpload, audioEvent, parseAudio } from "./audio.ts";
export { fetchContextWindow } from "./context-window.ts";
export { parseEvidenceBatch, readEvidence, toEvent } from "./evidence.ts";
export { readPictures, sceneLikeness } from "./frame-pictures.ts";
export { ANY_PICTURE, type FrameDays, Frames, type PictureAccess } from "./frames.ts";
export { rangesOf, readSequences, stopOf, toItem } from "./sequences.ts";
