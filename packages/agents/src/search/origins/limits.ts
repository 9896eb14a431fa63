/** Limits of the search for the origins of lines. */

export const ORIGIN_LIMITS = {
  /** Sessions that are read, the newest first, their bytes, and the branches of one. */
  sessions: 200,
  bytes: 536_870_912,
  branches: 20,
  /** Characters of edits that are kept. */
  editChars: 50_000_000,
  /** Lines and bytes of a file. */
  fileLines: 20_000,
  fileBytes: 20_000_000,
  /** Lines by which a former name of the file is searched, and the names that are followed. */
  searchedLines: 6,
  formerPaths: 5,
  /** Milliseconds after which a search ends with what it found. */
  searchMs: 30_000,
  promptChars: 300,
} as const;
