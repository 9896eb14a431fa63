/** The request to the worker that colours code, and its answer. */

export interface ColourRequest {
  readonly id: number;
  readonly language: string;
  readonly text: string;
  /**
   * The sign (`+`, `-` or a space) of each line of a difference, so that changes within lines are found too; `null` for
   * other text.
   */
  readonly lines: readonly string[] | null;
}

/** A range in UTF-16 units of the text; ranges are in order, and none crosses a line. */
export interface HighlightRanges {
  readonly from: number;
  readonly to: number;
  /** The name of a `::highlight()`. */
  readonly name: string;
}

export interface ColourAnswer {
  readonly id: number;
  readonly painted: readonly HighlightRanges[];
}
