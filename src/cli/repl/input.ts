/** Where a person's lines come from. */

import type { Shell } from "../terminal/index.ts";
import type { Completer } from "./completer.ts";
import type { InputHistory } from "./history.ts";

export type Typed =
  | { readonly type: "line"; readonly text: string }
  /** Ctrl-C where nothing was typed. */
  | { readonly type: "interrupt" }
  | { readonly type: "end" };

export interface Input extends Disposable {
  read(prompt: string): Promise<Typed>;
  /** Until disposed, Ctrl-C and `/cancel` call this; all else that is typed waits for the next `read`. */
  listen(onInterrupt: () => void): Disposable;
  /** The next key; left out where keys cannot be read. */
  readonly nextKey?: (signal: AbortSignal) => Promise<string>;
}

export interface InputOptions {
  readonly shell: Shell;
  readonly history: InputHistory;
  readonly complete: Completer;
}
