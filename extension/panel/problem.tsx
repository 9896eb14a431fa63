/** A message about a failure, with its remedy. */

import type { ComponentChildren, JSX } from "preact";
import type { Failure } from "../sending/view.ts";

interface Props {
  readonly failure: Failure;
  /** Buttons that offer the remedy. */
  readonly children?: ComponentChildren;
}

export function Problem({ failure: { message, hint }, children }: Props): JSX.Element {
  return (
    <div class="banner bad" role="alert">
      <p>
        {sentence(message)} {withCode(hint)}
      </p>
      {children}
    </div>
  );
}

function sentence(message: string): string {
  const first = message.slice(0, 1).toUpperCase();
  return `${first}${message.slice(1)}${/[.!?]$/u.test(message) ? "" : "."}`;
}

/** Shows the commands in a hint, which are between backticks, as code. */
function withCode(hint: string): readonly ComponentChildren[] {
  return hint.split("`").map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part));
}
