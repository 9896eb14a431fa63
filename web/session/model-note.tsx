/** Describes how the model's view differs from the history, and links to a comparison of both. */

import type { VNode } from "preact";
import { compareLink, comparison, historyOf } from "../compare/compare-address.ts";
import { counted, tokens } from "../content/words.ts";
import type { SessionState } from "./session-state.ts";

export function ModelNote({ state }: { state: SessionState }): VNode | null {
  const model = state.view.value === "model" ? state.outline.value?.model : undefined;
  if (model === undefined) return null;
  const here = historyOf(state.key, { branch: state.branch.value });
  const { messages, added, historyTokens } = model;
  return (
    <section aria-label="The model's view">
      <p class="model-note" role="note">
        The model would receive {counted(messages, "message")}, about {tokens(model.tokens)} tokens; the
        history has about {tokens(historyTokens)}. {leftOutWords(model)}
        {added === 0 ? "" : ` Added: ${counted(added, "message")} that the history does not have.`}{" "}
        <a href={compareLink(comparison(here, { ...here, view: "model" }))}>Compare both</a>
      </p>
    </section>
  );
}

type Model = NonNullable<NonNullable<SessionState["outline"]["value"]>["model"]>;

function leftOutWords({ leftOut, untilTurn, added, ...sizes }: Model): string {
  if (leftOut > 0) {
    const until = untilTurn === null ? "" : `, all of them up to turn ${untilTurn} of the history`;
    return `Left out: ${counted(leftOut, "message")}${until}.`;
  }
  return added === 0 && sizes.tokens < sizes.historyTokens
    ? "No message is left out, but parts of messages are, such as thinking."
    : "No message is left out.";
}
