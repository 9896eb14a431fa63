/** The facts of a session in one line below its head; when it is unfolded, each fact links to its turn. */

import { END_WORDS, type SessionFacts } from "@continuo/core/model";
import type { VNode } from "preact";
import { counted } from "../content/words.ts";
import { Lines, TestWords } from "./fact-words.tsx";
import { FactsPanel } from "./facts-panel.tsx";
import { addStep, type SessionState } from "./session-state.ts";

export function FactsLine({ state }: { state: SessionState }): VNode | null {
  const facts = state.facts.value;
  if (facts === null || facts.turns === 0) return null;
  const isOpen = state.showsFacts.value;
  return (
    <>
      <button
        type="button"
        class="fold facts-line"
        aria-expanded={isOpen}
        aria-controls="facts"
        onClick={() => {
          addStep();
          state.showsFacts.value = !isOpen;
        }}
      >
        <span class="hidden-text">What happened: </span>
        <span class="words">{isOpen ? "What happened" : <Summary facts={facts} />}</span>
      </button>
      {isOpen ? <FactsPanel state={state} facts={facts} /> : null}
    </>
  );
}

function Summary({ facts }: { facts: SessionFacts }): VNode {
  const { fileCount, commitCount, tests, end } = facts;
  const [test] = tests;
  return (
    <>
      {fileCount === 0 ? (
        <span>No file changed</span>
      ) : (
        <span>
          {counted(fileCount, "file")} <Lines {...facts} />
        </span>
      )}
      {commitCount === 0 ? null : <span>{counted(commitCount, "commit")}</span>}
      {test === undefined ? null : <TestWords test={test} />}
      {end === null ? null : (
        <span class={end.state === "answered" ? "" : "warn"}>{END_WORDS[end.state]}</span>
      )}
    </>
  );
}
