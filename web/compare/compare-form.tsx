/**
 * The choices for a comparison with a session: the model's view, a branch, the session from which it was handed over,
 * or any other session.
 */

import { visibleLine } from "@continuo/core/transcript";
import { type MachineSession, type SessionsPage, sessionsPath } from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { titleText } from "../content/title.ts";
import { agentName, dateAndClock } from "../content/words.ts";
import type { SessionState } from "../session/session-state.ts";
import { ask, isAbort, sayError } from "../state/server.ts";
import { type ComparedHistory, compareLink, comparison, historyOf } from "./compare-address.ts";

interface Choice {
  readonly words: string;
  readonly about: string;
  readonly link: string;
}

const MAX_BRANCHES = 12;

export function CompareForm({ state }: { state: SessionState }): VNode {
  const choices = choicesOf(state);
  return (
    <>
      <p class="dim">Two columns, turn by turn, with marks on what differs.</p>
      <ul class="plain-list compare-choices">
        {choices.map(({ words, about, link }) => (
          <li key={link}>
            <a href={link}>
              <bdi>{words}</bdi>
            </a>{" "}
            <span class="dim">{about}</span>
          </li>
        ))}
      </ul>
      <OtherSessions state={state} />
    </>
  );
}

function choicesOf({ key, head, view, branch }: SessionState): readonly Choice[] {
  const here = historyOf(key, { view: view.value, branch: branch.value });
  const link = (other: ComparedHistory, first = here): string => compareLink(comparison(first, other));
  const { handedOverFrom = null, branches = [] } = head.value ?? {};
  const shown = branch.value ?? branches.find(({ active }) => active)?.id;
  return [
    ...(handedOverFrom === null
      ? []
      : [
          {
            words: "The session that it was handed over from",
            about: "before and after the hand-over",
            link: link(here, historyOf(handedOverFrom)),
          },
        ]),
    {
      words: "What the model sees",
      about: "beside the history",
      link: link({ ...here, view: "model" }, { ...here, view: "history" }),
    },
    ...branches
      .filter(({ id }) => id !== shown)
      .slice(0, MAX_BRANCHES)
      .map(({ id, active, label, updatedAt }) => ({
        words: label === null ? "Nothing was typed" : visibleLine(label),
        about: `the branch of ${dateAndClock(updatedAt)}`,
        link: link({ ...here, branch: active ? null : id }),
      })),
  ];
}

const MAX_SESSIONS = 8;
const PAUSE_MS = 200;

/** Sessions of the same folder, until words are typed. */
function OtherSessions({ state }: { state: SessionState }): VNode {
  const words = useSignal("");
  const found = useSignal<readonly MachineSession[] | null>(null);
  const failure = useSignal<string | null>(null);
  const cwd = state.head.value?.session.cwd ?? null;
  useEffect(() => {
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      const title = words.value.trim();
      const narrowed = title !== "" ? { title } : cwd === null ? {} : { project: cwd };
      try {
        const page = await ask<SessionsPage>(sessionsPath({ ...narrowed, limit: MAX_SESSIONS + 1 }), {
          signal: stop.signal,
        });
        found.value = page.sessions.filter(({ key }) => key !== state.key).slice(0, MAX_SESSIONS);
        failure.value = null;
      } catch (error) {
        if (!isAbort(error)) failure.value = sayError(error);
      }
    };
    const due = setTimeout(() => void read(), words.value === "" ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(due);
      stop.abort();
    };
  }, [words.value, cwd]);
  const here = historyOf(state.key, { view: state.view.value, branch: state.branch.value });
  return (
    <section class="compare-others" aria-label="Another session">
      <label>
        Another session, by its title
        <input
          type="search"
          class="wide"
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value;
          }}
        />
      </label>
      {failure.value === null ? null : (
        <p class="bad" role="alert">
          {failure.value}
        </p>
      )}
      {found.value?.length === 0 ? (
        <p class="dim">
          {words.value.trim() === ""
            ? "No other session of this folder."
            : "No session has these words in its title."}
        </p>
      ) : null}
      <ul class="plain-list compare-choices">
        {(found.value ?? []).map(({ key, title, agent, updatedAt }) => (
          <li key={key}>
            <a href={compareLink(comparison(here, historyOf(key)))}>
              <bdi>{titleText(title)}</bdi>
            </a>{" "}
            <span class="dim">
              {agentName(agent)}, {dateAndClock(updatedAt)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
