/** The flags of `move`, as commander gives them. */

export interface MoveFlags {
  readonly to?: string;
  readonly takeBack?: true;
  readonly takeOver?: true;
  /** The folder to continue a mirror in. */
  readonly into?: string;
  readonly follow?: true;
  readonly remoteCommand: string;
  readonly workTree: boolean;
  readonly force?: true;
  readonly json?: true;
}
