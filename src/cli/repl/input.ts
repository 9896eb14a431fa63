/** The source of the lines that a person types, or that a file or a pipe gives. */

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
  /** Until the result is disposed, Ctrl-C and `/cancel` interrupt; other typed text waits for the next `read`. */
  listen(listener: InputListener): Disposable;
  /**
   * Lines that were typed before an interrupt: `read` offers them one by one for editing, and none is sent
   * automatically.
   */
  readonly kept: readonly string[];
  /**
   * Prints lines above the line that is being typed; `false` if that is not possible now. The property is left out if
   * no line is edited here.
   */
  readonly above?: (lines: readonly string[]) => boolean;
  /**
   * Returns the next key. With `text`, returns everything that is typed or pasted, up to the end of the line. The
   * property is left out if keys cannot be read.
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
