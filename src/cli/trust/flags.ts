/** The flags of `trust`, as commander gives them. */

export interface TrustFlags {
  readonly list?: true;
  readonly remove?: true;
  readonly json?: true;
}
