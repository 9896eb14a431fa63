/** The banner of a session whose log is damaged, with its repair. */

import { shellWord } from "@continuo/core/model";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Failure } from "../sending/view.ts";
import { ask } from "./link.ts";

interface Props {
  readonly sessionKey: string;
  /** `null` if the server gave none. */
  readonly reason: string | null;
  readonly onFailure: (failure: Failure | null) => void;
}

export function ReadOnly({ sessionKey, reason, onFailure }: Props): JSX.Element {
  const [isRepairing, setRepairing] = useState(false);
  const repair = (): void => {
    setRepairing(true);
    onFailure(null);
    void ask(sessionKey, { action: "repair" })
      .catch(onFailure)
      .finally(() => setRepairing(false));
  };
  return (
    <div class="banner bad" role="alert">
      <p>
        This session is read-only: {reason ?? "its log cannot be trusted"}. What you see and say is kept here,
        and sent after the repair, which puts aside what is damaged.{" "}
        <code>continuo live repair {shellWord(sessionKey)}</code> does the same in a terminal.
      </p>
      <button type="button" disabled={isRepairing} onClick={repair}>
        {isRepairing ? "Repairing…" : "Repair"}
      </button>
    </div>
  );
}
