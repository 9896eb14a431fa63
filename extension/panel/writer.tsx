/** The note writer of the session with its cost, or the way to one. */

import type { JSX } from "preact";
import type { PanelSession } from "../sending/panel-view.ts";
import { costOf, writerOf } from "./format.ts";

export function Writer({ session }: { readonly session: PanelSession }): JSX.Element | null {
  const writer = writerOf(session);
  const cost = costOf(session);
  if (writer === null) {
    return (
      <details class="writer dim">
        <summary>Notes without a model{cost === "" ? "" : ` (${cost})`}</summary>
        <p>
          They are the most telling sentences. <code>continuo agents</code> names the agents and models of
          this machine, such as those of Ollama and LM Studio; name one as <code>live.note_writer</code> in
          continuo.yaml, and start <code>continuo serve</code> again.
        </p>
      </details>
    );
  }
  const by = writer === undefined ? "" : `Notes by ${writer}`;
  const text = [by, cost].filter((part) => part !== "").join(", ");
  return text === "" ? null : (
    <p class="dim" dir="auto">
      {text}
    </p>
  );
}
