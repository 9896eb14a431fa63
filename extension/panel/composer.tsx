/** The field for a remark, or for a question about the video. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ShownAnswer } from "../sending/answers.ts";
import type { Failure } from "../sending/view.ts";
import { Answer } from "./answer.tsx";
import { ask } from "./link.ts";

interface Props {
  readonly sessionKey: string;
  readonly onFailure: (failure: Failure) => void;
  readonly onSeek: (ms: number) => void;
  /** Captures a frame of the video. */
  readonly onCapture: () => void;
}

export function Composer({ sessionKey, onFailure, onSeek, onCapture }: Props): JSX.Element {
  const [text, setText] = useState("");
  const [answer, setAnswer] = useState<ShownAnswer | null>(null);
  const [isAsking, setAsking] = useState(false);
  // The times in an answer belong to one video.
  useEffect(() => setAnswer(null), [sessionKey]);
  const say = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === "") return;
    ask(sessionKey, { action: "remark", text: text.trim() }).then(() => setText(""), onFailure);
  };
  const question = (): void => {
    setAsking(true);
    ask(sessionKey, { action: "ask", question: text.trim() })
      .then((value) => {
        setAnswer(value as ShownAnswer);
        setText("");
      }, onFailure)
      .finally(() => setAsking(false));
  };
  return (
    <form class="composer" onSubmit={say}>
      {answer !== null && <Answer answer={answer} onSeek={onSeek} onClose={() => setAnswer(null)} />}
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
