/** The answer to a question, with the places that it cites; without a model, the reason why there is none. */

import type { JSX } from "preact";
import type { ShownAnswer } from "../sending/answers.ts";
import { clock } from "./format.ts";

interface Props {
  readonly answer: ShownAnswer;
  readonly onSeek: (ms: number) => void;
  readonly onClose: () => void;
}

export function Answer({ answer, onSeek, onClose }: Props): JSX.Element {
  const { text, by, citations } = answer;
  return (
    <div class="answer" role="status">
      {by === "quote" && <p class="status warn">{withoutModel(answer)}</p>}
      {by === "quote" && citations.length > 0 ? (
        <blockquote dir="auto">{text}</blockquote>
      ) : (
        <p dir="auto">{text}</p>
      )}
      {citations.length > 0 && (
        <p class="cites">
          {citations.map(({ startMs, text: words }) => (
            <button key={startMs} type="button" class="time" title={words} onClick={() => onSeek(startMs)}>
              {clock(startMs)}
            </button>
          ))}
        </p>
      )}
      <button type="button" onClick={onClose}>
        Close answer
      </button>
    </div>
  );
}

function withoutModel({ citations, isSpent }: ShownAnswer): string {
  const why = isSpent ? "The budget of this session is spent" : "No model is set up that could answer";
  return citations.length === 0
    ? `${why}.`
    : `${why}. This was said or noted, and is most like your question:`;
}
