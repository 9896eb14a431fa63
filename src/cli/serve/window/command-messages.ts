/** Messages between the server and the program in the window, each sent once, as JSON over a private socket. */

/** From the server. */
export interface WindowCommand {
  /** The file to start. */
  readonly program: string;
  /** With the name of the program. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The environment of the server; the variables that describe a terminal are the window's. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** From the window: the command runs, or why it does not. */
export type WindowAnswer = { readonly started: true } | { readonly started: false; readonly error: string };
