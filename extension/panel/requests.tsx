/** Requests of the session to the person: a question, or a warning about pictures that will be removed. */

import type { PurgeWarning } from "@continuo/core/wire";
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ContextRequest, Failure } from "../sending/view.ts";
import { oneAtATime } from "./clicks.ts";
import { clock } from "./format.ts";
import { ask } from "./link.ts";

/** The warning names the times of at most this number of pictures. */
const NAMED_TIMES = 5;

interface Props {
  readonly sessionKey: string;
  readonly onFailure: (failure: Failure) => void;
}

interface RequestProps extends Props {
  readonly request: ContextRequest;
  /** Answers with a newly captured frame of the video. */
  readonly onCapture: (requestId: string) => void;
}

export function RequestItem({ sessionKey, request, onFailure, onCapture }: RequestProps): JSX.Element {
  const [text, setText] = useState("");
  // The request disappears when the session has the answer.
  const [isSent, setSent] = useState(false);
  const { requestId } = request;
  const answer = useRef(
    oneAtATime((id: string, words: string) =>
      ask(sessionKey, { action: "answer", requestId: id, text: words }).then(() => setSent(true), onFailure),
    ),
  ).current;
  const send = (event: Event): void => {
    event.preventDefault();
    if (text.trim() !== "" && !isSent) void answer(requestId, text);
  };
  return (
    <form class="request" onSubmit={send}>
      <label>
        {request.question === "" ? "What is meant here?" : request.question}
        <input value={text} maxLength={4_000} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <div class="actions">
        <button type="submit" class="main" disabled={text.trim() === "" || isSent}>
          Answer
        </button>
        <button type="button" onClick={() => onCapture(requestId)}>
          Answer with a frame
        </button>
      </div>
    </form>
  );
}

interface PurgesProps extends Props {
  readonly purges: readonly PurgeWarning[];
  /** Called when the server has agreed to keep this picture for longer. */
  readonly onKept?: (hash: string) => void;
}

export function Purges({ sessionKey, purges, onFailure, onKept }: PurgesProps): JSX.Element {
  const keep = (): void => {
    for (const { hash } of purges)
      ask(sessionKey, { action: "keep", hash }).then(() => onKept?.(hash), onFailure);
  };
  const times = [...new Set(purges.map(({ mediaTimeMs }) => clock(mediaTimeMs)))];
  const named = times.slice(0, NAMED_TIMES).join(", ");
  return (
    <div class="request">
      <p>
        {purges.length === 1 ? "A picture" : `${purges.length} pictures`} ({named}
        {times.length > NAMED_TIMES && ", …"}) will be removed within a day.
      </p>
      <button type="button" onClick={keep}>
        Keep
      </button>
    </div>
  );
}
