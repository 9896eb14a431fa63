/** One channel: its messages and participants. */

import { visibleLine } from "@continuo/core/transcript";
import type { Participant } from "@continuo/core/wire";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { counted } from "../content/words.ts";
import { useKeys } from "../shell/keys.ts";
import { ChannelState } from "./channel-state.ts";
import { Composer } from "./composer.tsx";
import { Posts } from "./posts.tsx";

export function ChannelPage({ name }: { name: string }): VNode {
  const state = useMemo(() => new ChannelState(name), [name]);
  const isRosterOpen = useSignal(false);
  useEffect(() => {
    document.title = `${visibleLine(name)} · Continuo`;
    void state.open();
    return () => state.close();
  }, [state, name]);
  useKeys({
    u: () => {
      location.hash = "#/channels";
    },
  });
  const { people, agents } = sorted(state.roster.value);
  return (
    <div class="session-page channel-page">
      <section class="session-head" aria-label="Channel">
        <div class="session-title">
          <h1>
            <bdi>{visibleLine(name)}</bdi>
          </h1>
        </div>
        <p class="facts">
          <a href="#/channels">All channels</a>
          <span>{counted(people.length, "person", "people")} here</span>
          <span>{counted(agents.length, "agent")} here</span>
          {state.head.value?.access.includes("write") === false ? <span>Read only</span> : null}
        </p>
        <Conditions state={state} />
        <button
          type="button"
          class="quiet rail-switch"
          aria-pressed={isRosterOpen.value}
          onClick={() => {
            isRosterOpen.value = !isRosterOpen.value;
          }}
        >
          Who is here
        </button>
      </section>
      <div class="split">
        <aside class={isRosterOpen.value ? "rail open" : "rail"} aria-label="Who is here">
          <Names title="People" all={people} />
          <Names title="Agents" all={agents} />
        </aside>
        <Posts state={state} />
      </div>
      {state.canWrite ? <Composer state={state} /> : null}
    </div>
  );
}

/** Problems of the channel or the connection. */
function Conditions({ state }: { state: ChannelState }): VNode {
  return (
    <div role="status">
      {state.connection.value === "lost" ? (
        <p class="notice warn">The connection was lost. Trying again; nothing that is said is missed.</p>
      ) : null}
      {state.presence.value === "elsewhere" ? (
        <p class="notice">
          An agent is here under your name: the others see that one, and you can write too.
        </p>
      ) : null}
      {state.degraded.value === null ? null : (
        <p class="notice warn">What you have read is not remembered: {visibleLine(state.degraded.value)}</p>
      )}
      {state.failure.value === null ? null : <p class="notice bad">{state.failure.value}</p>}
    </div>
  );
}

const MOST_NAMES = 200;

function Names({ title, all }: { title: string; all: readonly Participant[] }): VNode {
  return (
    <section class="names">
      <h2>
        {title} <span class="dim">{all.length}</span>
      </h2>
      {all.length === 0 ? <p class="dim">None here now</p> : null}
      <ul class="plain-list">
        {all.slice(0, MOST_NAMES).map(({ handle, name, type }) => (
          <li key={handle}>
            <span class="present" aria-hidden="true" />
            <bdi class="who">{visibleLine(name)}</bdi>
            {name === handle ? null : <bdi class="dim">@{visibleLine(handle)}</bdi>}
            {type === "person" || type === "agent" ? null : <span class="dim">{visibleLine(type)}</span>}
          </li>
        ))}
      </ul>
      {all.length > MOST_NAMES ? <p class="dim">and {all.length - MOST_NAMES} more</p> : null}
    </section>
  );
}

function sorted(roster: readonly Participant[]): {
  readonly people: readonly Participant[];
  readonly agents: readonly Participant[];
} {
  const all = roster.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    people: all.filter(({ type }) => type === "person"),
    agents: all.filter(({ type }) => type !== "person"),
  };
}
