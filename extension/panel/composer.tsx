/** The field for a remark, or for a question about the video. */

import type { LiveAnswer } from "@continuo/core/wire";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Failure } from "../sending/view.ts";
import { ask } from "./link.ts";

interface Props {
  readonly sessionKey: string;
  readonly onFailure: (failure: Failure) => void;
  /** A fresh frame of the video. */
  readonly onCapture: () => void;
}

export function Composer({ sessionKey, onFailure, onCapture }: Props): JSX.Element {
  const [text, setText] = useState("");
  const [answer, setAnswer] = useState<LiveAnswer | null>(null);
  const [isAsking, setAsking] = useState(false);
  const say = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === "") return;
    ask(sessionKey, { action: "remark", text: text.trim() }).then(() => setText(""), onFailure);
  };
  const question = (): void => {
    setAsking(true);
    ask(sessionKey, { action: "ask", question: text.trim() })
      .then((value) => {
        setAnswer(value as LiveAnswer);
        setText("");
      }, onFailure)
      .finally(() => setAsking(false));
  };
  return (
    <form class="composer" onSubmit={say}>
      {answer !== null && (
        <div class="answer" role="status">
          <p>{answer.text}</p>
          <button type="button" onClick={() => setAnswer(null)}>
            Close answer
          </button>
        </div>
      )}
      <label>
        <span class="hidden">Remark or question</span>
        <textarea
          rows={2}
          value={text}
          maxLength={4_000}
          placeholder="Say what you see, or ask about it"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.isComposing) say(event);
          }}
        />
      </label>
      <div class="actions">
        <button type="submit" class="main" disabled={text.trim() === ""}>
          Add remark
        </button>
        <button type="button" disabled={isAsking || text.trim() === ""} onClick={question}>
          {isAsking ? "Asking…" : "Ask"}
        </button>
        <button type="button" class="end" onClick={onCapture}>
          Capture a frame
        </button>
      </div>
    </form>
  );
}
