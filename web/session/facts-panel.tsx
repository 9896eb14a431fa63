/** The facts of a session: requests, changes, commits, tests, the cost, and where it stopped. */

import { END_WORDS, type FactPlace, type FileFact, type SessionFacts } from "@continuo/core/model";
import type { ComponentChildren, VNode } from "preact";
import { cost, counted } from "../content/words.ts";
import { Lines, TestWords } from "./fact-words.tsx";
import type { SessionState } from "./session-state.ts";

/** The number of shown items of each kind; the page of files has all of them. */
const SHOWN = 8;

interface PanelProps {
  readonly state: SessionState;
  readonly facts: SessionFacts;
}

export function FactsPanel({ state, facts }: PanelProps): VNode {
  const { asked, lastAsked, commits, commitCount, tests, end } = facts;
  const price = facts.cost;
  return (
    <dl class="fields facts-panel" id="facts">
      {asked === null ? null : (
        <Fact name="Asked">
          <Item state={state} at={asked}>
            <bdi>{asked.text}</bdi>
          </Item>
          {lastAsked === null ? null : (
            <Item state={state} at={lastAsked}>
              <bdi>{lastAsked.text}</bdi>
            </Item>
          )}
        </Fact>
      )}
      <Fact name="Changed">
        <Files state={state} facts={facts} />
      </Fact>
      {commitCount === 0 ? null : (
        <Fact name="Committed">
          {commits.slice(-SHOWN).map((commit, at) => (
            <Item key={at} state={state} at={commit}>
              {commit.hash === null ? null : <code>{commit.hash}</code>}{" "}
              <bdi>{commit.subject === "" ? "a commit without words" : commit.subject}</bdi>
            </Item>
          ))}
          <More count={commitCount - SHOWN} what="earlier commit" />
        </Fact>
      )}
      {tests.length === 0 ? null : (
        <Fact name="Tested">
          {tests.slice(0, SHOWN).map((test) => (
            <Item key={test.command} state={state} at={test}>
              <code>
                <bdi>{test.command}</bdi>
              </code>{" "}
              <TestWords test={test} />
              {test.runs === 1 ? null : (
                <span class="dim">
                  , {counted(test.runs, "run")}, {test.failedRuns} failed
                </span>
              )}
            </Item>
          ))}
          <More count={tests.length - SHOWN} what="other command" />
        </Fact>
      )}
      {price === null ? null : (
        <Fact name="Cost">
          <Item state={state} at={price.dearest}>
            {cost(price.usd)}
            {facts.turns === 1 ? null : (
              <span class="dim">, most in this turn: {cost(price.dearest.usd)}</span>
            )}
          </Item>
        </Fact>
      )}
      {end === null ? null : (
        <Fact name="Ended">
          <Item state={state} at={end}>
            <span class={end.state === "answered" ? "dim" : "warn"}>{END_WORDS[end.state]}</span>{" "}
            <bdi>{end.text}</bdi>
          </Item>
        </Fact>
      )}
    </dl>
  );
}

function Files({ state, facts }: PanelProps): VNode {
  const { files, fileCount, undoneFiles } = facts;
  if (fileCount === 0)
    return (
      <p class="dim">
        No file, as far as calls of tools show it{undoneFiles === 0 ? "" : ": all was taken back"}.
      </p>
    );
  return (
    <>
      {files.slice(0, SHOWN).map((file) => (
        <Item key={file.path} state={state} at={file}>
          <bdi>{file.path}</bdi> <Lines {...file} /> <span class="dim">{wordsOf(file)}</span>
        </Item>
      ))}
      {fileCount <= SHOWN ? null : (
        <p>
          <a href={state.link("files")}>All {counted(fileCount, "file")}</a>
        </p>
      )}
      {undoneFiles === 0 ? null : (
        <p class="dim">{counted(undoneFiles, "other file")} changed and put back as before.</p>
      )}
    </>
  );
}

function wordsOf({ status, known, movedFrom }: FileFact): string {
  const words = [
    status === "changed" ? "" : status,
    movedFrom === null ? "" : `was ${movedFrom}`,
    known === "all" ? "" : "at least: not all of its earlier lines are known",
  ];
  return words.filter((word) => word !== "").join(", ");
}

function More({ count, what }: { count: number; what: string }): VNode | null {
  return count > 0 ? <p class="dim">and {counted(count, what)}</p> : null;
}

function Fact({ name, children }: { name: string; children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface ItemProps {
  readonly state: SessionState;
  readonly at: FactPlace;
  readonly children: ComponentChildren;
}

function Item({ state, at, children }: ItemProps): VNode {
  return (
    <p>
      {children}{" "}
      <a
        class="to-turn"
        href={state.link(`turn/${at.turn}`)}
        onClick={() => {
          state.aimAt(at);
          void state.showMessage(at.messageId);
        }}
      >
        turn {at.turn}
      </a>
    </p>
  );
}
