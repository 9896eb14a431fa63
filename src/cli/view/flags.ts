/** The flags of `continuo view`, as they arrive. */

/** Always the same, so that it can be forwarded; the name of the page is new for each start. */
export const VIEWER_PORT = 4748;

/** The port to which a tunnel for phones leads; always the same, since the tunnel is set up once. */
export const PHONE_PORT = 4749;

export interface ViewFlags {
  /** `false` with `--no-open`. */
  readonly open: boolean;
  readonly readOnly?: true;
  readonly port?: string;
  readonly json?: true;
  readonly tunnel?: string;
  readonly tunnelPort?: string;
  readonly pair?: string | true;
  readonly output?: string;
  readonly force?: true;
  readonly turns?: string;
  readonly maskSecrets?: true;
}
