/** Speech that a page records. */

/** A complete file of one speech segment, at most 10 MB. */
export interface AudioRecording {
  readonly bytes: Uint8Array | Blob;
  /** The media type as the recorder names it, with or without codecs. */
  readonly mediaType: string;
  /** Its place in the medium, in milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  /** BCP 47. */
  readonly lang?: string;
  /** The speaker, if the page knows it; each piece of the transcript has this name. */
  readonly speaker?: string;
  /** The id of the video in which the speech was heard; left out for the video of the session. */
  readonly videoId?: string;
  /**
   * The id of the recording. If the same recording is sent again, it must have the same id. An id is made if none is
   * given.
   */
  readonly id?: string;
}

export interface StoredRecording extends AudioRecording {
  readonly id: string;
}

/**
 * Stores recordings that were not acknowledged yet, by their ids. `add` and `remove` resolve when a reload of the page
 * cannot undo their change.
 */
export interface RecordingBox {
  /** In the order in which they were added. */
  load(): Promise<readonly StoredRecording[]>;
  add(recording: StoredRecording): Promise<void>;
  remove(id: string): Promise<void>;
}

export function audioPath({ startMs, endMs, lang, speaker, videoId, id }: StoredRecording): string {
  const query = new URLSearchParams({ startMs: String(startMs), endMs: String(endMs) });
  if (lang !== undefined) query.set("lang", lang);
  if (speaker !== undefined) query.set("speaker", speaker);
  if (videoId !== undefined) query.set("videoId", videoId);
  query.set("id", id);
  return `/audio?${query}`;
}
