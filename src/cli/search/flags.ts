/** The flags of `search`, `open` and `index`, as commander gives them. */

export interface SearchFlags {
  readonly limit?: number;
  readonly all?: true;
  readonly injected?: true;
  readonly regex?: string;
  /** In milliseconds. */
  readonly timeout?: number;
  readonly json?: true;
}

export interface OpenFlags {
  readonly message?: string;
}

export interface IndexFlags {
  readonly background?: true;
  readonly json?: true;
}
