/** The flags of `continuo token`, as they arrive. */

export interface TokenFlags {
  readonly store?: string;
  readonly workspace?: string;
  readonly json?: true;
}

export interface CreateTokenFlags extends TokenFlags {
  readonly scope: readonly string[];
  readonly handle?: string;
  readonly label?: string;
  readonly expires: string;
}
