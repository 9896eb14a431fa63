/** The offer to continue in the session of a related video that is open in another tab. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RelatedSession } from "../sending/related.ts";
import type { Failure } from "../sending/view.ts";
import { ask } from "./link.ts";

interface Props {
  readonly sessionKey: string;
  readonly related: RelatedSession;
  readonly onFailure: (failure: Failure) => void;
}

/** Offers that the person declined while the panel is open. */
const declined = new Set<string>();

export function Related({ sessionKey, related, onFailure }: Props): JSX.Element | null {
  const name = `${sessionKey} ${related.key}`;
  const [, setAnswered] = useState("");
  if (declined.has(name)) return null;
  const decline = (): void => {
    declined.add(name);
    setAnswered(name);
  };
  const join = (): void => {
    decline();
    ask(related.key, { action: "join", other: sessionKey }).catch(onFailure);
  };
  return (
    <div class="request">
      <p>
        <q dir="auto">{related.title}</q> is open in another tab. One session for both has all notes in one
        place.
      </p>
      <div class="actions">
        <button type="button" class="main" onClick={join}>
          Join this tab to that session
        </button>
        <button type="button" onClick={decline}>
          Keep them separate
        </button>
      </div>
    </div>
  );
}
