/** The flags of `continuo blame`, as they arrive. */

export interface BlameFlags {
  readonly commit?: string;
  readonly json?: true;
}
