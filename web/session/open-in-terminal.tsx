/** Starts the command of a session in a new terminal window, on the machine of the server. */

import { visibleLine } from "@continuo/core/transcript";
import { sessionPath, type TerminalAnswer } from "@continuo/core/wire/machine";
import type { ReadonlySignal, Signal } from "@preact/signals";
import type { VNode } from "preact";
import { ask } from "../state/server.ts";

interface OpenInTerminalProps {
  readonly sessionKey: string;
  /** Does work whose errors the dialog shows. */
  readonly run: (work: () => Promise<null>) => Promise<void>;
  readonly busy: ReadonlySignal<boolean>;
  /** The terminal that runs it. */
  readonly opened: Signal<string | null>;
}

export function OpenInTerminal({ sessionKey, run, busy, opened }: OpenInTerminalProps): VNode {
  const open = (): Promise<void> =>
    run(async () => {
      opened.value = null;
      const { terminal } = await ask<TerminalAnswer>(sessionPath(sessionKey, "terminal"), { body: {} });
      opened.value = terminal;
      return null;
    });
  return (
    <button type="button" disabled={busy.value} onClick={() => void open()}>
      Open in a terminal
    </button>
  );
}

/** The outcome. The line exists before it has text, so that a screen reader announces its change. */
export function Opened({ opened: { value } }: Pick<OpenInTerminalProps, "opened">): VNode {
  return (
    <p role="status" class="dim">
      {value === null ? "" : `It runs in a new window of ${visibleLine(value)}.`}
    </p>
  );
}
