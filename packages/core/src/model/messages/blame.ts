/** The origins of a file's lines: the turns of sessions that wrote them. */

/** A turn that wrote lines. */
export interface LineOrigin {
  readonly agent: string;
  readonly sessionId: string;
  readonly location: string;
  readonly title: string | null;
  /** The id of a branch's end; `null` for the active branch. */
  readonly branch: string | null;
  /** 1-based, in its branch. */
  readonly turn: number;
  readonly messageId: string;
  /** ISO 8601; `null` if the agent did not note it. */
  readonly at: string | null;
  /** The beginning of the prompt that the turn answers, on one line. */
  readonly prompt: string | null;
  /** The file as the session named it, if it has another name now. */
  readonly formerPath: string | null;
}

export interface BlamedLine {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  /** The index in `origins` of the turn that wrote the line last; `null` for a line that no session wrote. */
  readonly origin: number | null;
  /** The turns that wrote the same line before, and those that wrote an earlier form of it; the newest first. */
  readonly others: readonly number[];
  readonly earlier: readonly number[];
}

export interface FileBlame {
  /** From the root. */
  readonly path: string;
  readonly lines: readonly BlamedLine[];
  readonly origins: readonly LineOrigin[];
  /** Former names of the file that were followed. */
  readonly formerPaths: readonly string[];
  /** Sessions that were read, and the edits of the file in them. */
  readonly sessions: number;
  readonly edits: number;
  /** The numbers of sessions and edits that the answer does not consider. */
  readonly left: BlameOmissions;
}

export interface BlameOmissions {
  /** Sessions that name the file and were not read, because there are too many or they are too large. */
  readonly sessions: number;
  /** Sessions that could not be searched or read. */
  readonly unreadable: number;
  /** Sessions that were not searched because the time limit was reached. */
  readonly unsearched: number;
  /** The oldest edits, which were not compared because there are too many. */
  readonly edits: number;
}
