/** What the page asks the worker that colours code, and what it answers. */

export interface ColourRequest {
  readonly id: number;
  readonly language: string;
  readonly text: string;
  /** Of a difference: the sign of each line, so that what changed within a line is found too. */
  readonly lines: readonly string[] | null;
}

/** UTF-16 units of the text; in order, and none reaches over a line. */
export interface Painted {
  readonly from: number;
  readonly to: number;
  /** The name of a `::highlight()`. */
  readonly name: string;
}

export interface ColourAnswer {
  readonly id: number;
  readonly painted: readonly Painted[];
}
