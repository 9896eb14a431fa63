/** A scan of a session, saved so that it can be continued when the session has grown (`native/scanning/`). */

/** The end of a scan of lines: after the last line with a line end. A line without one is read again. */
export interface ScanPosition {
  readonly path: string;
  /** Bytes before the first line that was not folded. */
  readonly offset: number;
  /** Lines before it. */
  readonly lines: number;
  readonly byteOrderMark: boolean;
  readonly lfLines: number;
  readonly crlfLines: number;
  /** A hash of all bytes before `offset`, which distinguishes a file that only grew from one with other changes. */
  readonly mark: string;
  /** The other files of the session, which must be unchanged. */
  readonly others: string;
}

/** A scan that can be continued in this process or in another one; it is plain JSON. */
export interface SavedScan {
  /** `Scan.version`: a state of another version is not continued. */
  readonly version: string;
  /** The session whose state it is. */
  readonly sessionId: string;
  readonly position: ScanPosition;
  readonly state: unknown;
}
