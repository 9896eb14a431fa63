/** The flags of `continuo view`, as they arrive. */

/** Always the same, so that it can be forwarded; the name of the page is new for each start. */
export const VIEWER_PORT = 4748;

export interface ViewFlags {
  /** `false` with `--no-open`. */
  readonly open: boolean;
  readonly readOnly?: true;
  readonly port?: string;
  readonly json?: true;
  readonly output?: string;
  readonly force?: true;
  readonly turns?: string;
  readonly maskSecrets?: true;
}
