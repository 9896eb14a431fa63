/** A row of the table: work for which a person waits, compared with the minimum that the machine needs. */

export interface Row {
  readonly work: string;
  /** The value when the work on speed began. */
  readonly before: string;
  readonly now: number;
  readonly wanted: { readonly side: "below" | "above"; readonly than: number };
  /** `processor`: user and system time of the processes; `clock`: the time that passed; `size`: bytes. */
  readonly by: "processor" | "clock" | "size";
  /** The two numbers of a ratio, or the way in which a number was measured. */
  readonly from: string;
}

/** A row that this machine cannot measure, with the reason. */
export interface MissingRow {
  readonly work: string;
  readonly missing: string;
}

export interface WaitsOptions {
  readonly rounds: number;
  /** Measures fewer sessions and shorter hand-overs. */
  readonly quick: boolean;
  /** A folder of this bench that is not removed. */
  readonly folder: string;
}

export type Rows = readonly (Row | MissingRow)[];
