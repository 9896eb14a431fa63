/** The source of a person's lines. */

import type { QueuedInput } from "../conversation/drawing/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { Completer } from "./completer.ts";
import type { InputHistory } from "./history.ts";

export type InputEvent =
  /** `typed`: the text with marks for pasted parts; left out for lines that nobody typed. */
  | { readonly type: "line"; readonly text: string; readonly typed?: string }
  /** Ctrl-C when nothing was typed. */
  | { readonly type: "interrupt" }
  | { readonly type: "end" };

export interface Input extends Disposable {
  read(prompt: string): Promise<InputEvent>;
  /** Until it is disposed, Ctrl-C and `/cancel` interrupt; other typed text waits for the next `read`. */
  listen(listener: InputListener): Disposable;
  /**
   * Lines that were typed before an interrupt: `read` offers them one by one for editing, and none is sent by itself.
   */
  readonly kept: readonly string[];
  /**
   * The next key; left out if keys cannot be read. With `text`, everything that is typed or pasted, up to the end of
   * its line.
   */
  readonly nextKey?: (signal: AbortSignal, wanted?: "text") => Promise<string>;
}

export interface InputListener {
  readonly onInterrupt: () => void;
  /** Called with the text that is typed ahead, whenever it changes. */
  readonly onTyped?: (typed: QueuedInput) => void;
}

export interface InputOptions {
  readonly shell: Shell;
  readonly history: InputHistory;
  readonly complete: Completer;
}
