/** Messages between the server and the program in the window, each sent once, as JSON over a private socket. */

/** Sent by the server. */
export interface WindowCommand {
  /** The file to start. */
  readonly program: string;
  /** Includes the name of the program. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The environment of the server; the variables that describe a terminal come from the window. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Sent by the window: the command runs, or the reason why it does not. */
export type WindowAnswer = { readonly started: true } | { readonly started: false; readonly error: string };
