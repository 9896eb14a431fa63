/** The flags of `continuo view`, before they are checked. */

/** The port is always the same, so that it can be forwarded; the host name of the page is new at each start. */
export const VIEWER_PORT = 4748;

/** The port to which a tunnel for phones leads. It is always the same, because the tunnel is set up only once. */
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
