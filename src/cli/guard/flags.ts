/** The flags of the commands of `continuo guard`. */

export interface OnFlags {
  /** Bytes. */
  readonly maxSize?: number;
  /** Days; `never` if copies stay. */
  readonly maxAge?: number | "never";
  readonly timer?: boolean;
  readonly json?: true;
}

export interface StatusFlags {
  /** Days. */
  readonly within: number;
  readonly json?: true;
}

export interface RunFlags {
  readonly quiet?: true;
  readonly json?: true;
}

export interface RestoreFlags {
  /** 1 is the newest. */
  readonly state?: number;
  readonly force?: true;
  readonly json?: true;
}

export interface RetentionFlags {
  readonly undo?: true;
  readonly yes?: true;
  readonly json?: true;
}

export interface JsonFlag {
  readonly json?: true;
}
