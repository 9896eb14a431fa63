/** What the server and the program in the window tell each other, each once, as JSON over a private socket. */

/** From the server. */
export interface WindowCommand {
  /** The file to start. */
  readonly program: string;
  /** With the name of the program. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Of the server; what describes a terminal is taken from the window instead. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** From the window: the command runs, or why it does not. */
export type WindowAnswer = { readonly started: true } | { readonly started: false; readonly error: string };
