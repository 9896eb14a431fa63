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
  /** A hash of all bytes before `offset`: tells a file that grew from one in which anything changed. */
  readonly mark: string;
  /** The other files of the session, which must be what they were. */
  readonly others: string;
}

/** A scan that can be continued, in this process or in another one: nothing but JSON. */
export interface SavedScan {
  /** `Scan.version`: a state of another version is not continued. */
  readonly version: string;
  /** Whose state it is. */
  readonly sessionId: string;
  readonly position: ScanPosition;
  readonly state: unknown;
}
