/** The sessions that a person deleted in the last week, each with a button that brings it back. */

import type { LiveSession, RemovedLiveSession } from "@continuo/core/wire";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Failure } from "../sending/view.ts";
import { NewestAnswer, oneAtATime } from "./clicks.ts";
import { ask } from "./link.ts";

interface Props {
  /** The list of existing sessions: whenever it changes, the deleted ones are read again. */
  readonly sessions: readonly LiveSession[] | null;
  readonly onRestored: () => void;
  readonly onFailure: (failure: Failure) => void;
}

export function RemovedSessions({ sessions, onRestored, onFailure }: Props): JSX.Element | null {
  const [removed, setRemoved] = useState<readonly RemovedLiveSession[]>([]);
  const newest = useRef(new NewestAnswer()).current;
  useEffect(() => {
    if (sessions === null) return;
    const answer = ask("", { action: "removed" }) as Promise<readonly RemovedLiveSession[]>;
    // After a failure the list stays unchanged.
    newest.take(answer, setRemoved, onFailure);
    return () => newest.drop();
  }, [sessions]);
  const restore = useRef(
    oneAtATime((sessionId: string, key: string) =>
      ask(key, { action: "restore", sessionId }).then(onRestored, onFailure),
    ),
  ).current;
  if (removed.length === 0) return null;
  return (
    <details class="removed">
      <summary>Deleted ({removed.length})</summary>
      <ul class="sessions">
        {removed.map(({ sessionId, key, title, videoId, deletedAfter }) => (
          <li key={sessionId} class="row">
            <div class="about">
              <span dir="auto">{title ?? videoId}</span>
              <span class="dim">cannot be brought back after {dayOf(deletedAfter)}</span>
            </div>
            <button
              type="button"
              aria-label={`Bring back ${title ?? videoId}`}
              onClick={() => void restore(sessionId, key)}
            >
              Bring back
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

function dayOf(time: string): string {
  return new Date(time).toLocaleDateString(undefined, { day: "numeric", month: "long" });
}
