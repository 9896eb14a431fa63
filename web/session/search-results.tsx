/** The results of a search in the session: one line per message, the newest first. */

import { visibleLine } from "@continuo/core/transcript";
import { type FoundMessage, type SessionSearchResult, sessionPath } from "@continuo/core/wire/machine";
import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { counted } from "../content/words.ts";
import { ask, isAbort, sayError } from "../state/server.ts";
import { createTypingWait } from "../state/typing.ts";
import type { SessionState } from "./session-state.ts";

const typingWait = createTypingWait();

interface ResultsProps {
  readonly words: string;
  readonly state: SessionState;
  /** True from the key for the newest message until the message is shown. */
  readonly isWanted: Signal<boolean>;
}

export function SearchResults({ words, state, isWanted }: ResultsProps): VNode {
  const lines = useRef<HTMLDivElement>(null);
  const answer = useSignal<SessionSearchResult | null>(null);
  const failure = useSignal<string | null>(null);
  const name = JSON.stringify(state.name());
  useEffect(() => {
    answer.value = null;
    state.found.value = [];
    const stop = new AbortController();
    const find = async (): Promise<void> => {
      try {
        const path = sessionPath(state.key, "find", { words, ...state.name() });
        answer.value = await ask<SessionSearchResult>(path, { signal: stop.signal });
        state.found.value = answer.value.found;
        failure.value = null;
      } catch (error) {
        if (!isAbort(error)) failure.value = sayError(error);
      }
    };
    const due = setTimeout(() => void find(), typingWait(words));
    return () => {
      clearTimeout(due);
      stop.abort();
    };
  }, [words, name]);
  const { found = [] } = answer.value ?? {};
  const isGoing = isWanted.value && answer.value !== null;
  useLayoutEffect(() => {
    if (!isGoing) return;
    isWanted.value = false;
    const [first] = found;
    if (first === undefined) return;
    lines.current?.querySelector<HTMLElement>(".found-line")?.focus();
    void state.showMessage(first.messageId);
  }, [isGoing]);
  return (
    <div class="scroller found" ref={lines}>
      <p class="dim" role="status">
        {failure.value ?? (answer.value === null ? "Searching…" : countOf(answer.value))}
      </p>
      {found.map((one) => (
        <FoundLine key={one.messageId} one={one} state={state} />
      ))}
    </div>
  );
}

function countOf({ found, match, next, leftOut }: SessionSearchResult): string {
  const newest = next === null && leftOut === 0 ? "" : "The newest ";
  const count = `${newest}${counted(found.length, "message")}`;
  if (match === "message" || found.length === 0) return count;
  const scope = match === "turn" ? ", in turns that have every word" : "";
  return `No message has every word. ${count} with some of them${scope}`;
}

function FoundLine({ one, state }: { one: FoundMessage; state: SessionState }): VNode {
  return (
    <button type="button" class="found-line" onClick={() => void state.showMessage(one.messageId)}>
      <span class="number">{one.turn}</span>
      <bdi>
        {one.excerpt.map(({ text, isMatch }, at) =>
          isMatch ? <mark key={at}>{plain(text)}</mark> : <span key={at}>{plain(text)}</span>,
        )}
      </bdi>
    </button>
  );
}

const ESCAPES = new RegExp(`[${String.fromCodePoint(0x1b)}\u241b]\\[[\\d;?]*[A-Za-z]`, "gu");

/** Control codes of a terminal and Markdown syntax are not words. */
function plain(text: string): string {
  return visibleLine(text.replaceAll(ESCAPES, "").replaceAll(/\*\*|`+|^#+ /gu, ""));
}
