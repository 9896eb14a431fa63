/**
 * The sessions that a person may miss: hidden by their agents, each with a way to bring it back, or soon deleted by
 * them.
 */

import { visibleLine } from "@continuo/core/transcript";
import type { SessionsAtRisk } from "@continuo/core/wire/machine";
import type { VNode } from "preact";
import { copyText } from "../content/copy.ts";
import { titleText } from "../content/title.ts";
import { agentName, counted, dateAndClock } from "../content/words.ts";
import { sessionLink } from "../shell/route.ts";
import { goWithin } from "./judgement.ts";
import type { HiddenLine, RiskState } from "./risk-state.ts";
import { WayBack } from "./way-back.tsx";

interface DueProps {
  readonly atRisk: SessionsAtRisk;
}

export function DueSessions({ atRisk: { due, isGuarded } }: DueProps): VNode | null {
  if (due.sessions === 0) return null;
  const command = isGuarded ? "continuo guard run" : "continuo guard on";
  return (
    <section aria-labelledby="health-due">
      <h2 id="health-due">Deleted soon by their agents</h2>
      <p>{goWithin(due)}.</p>
      <ul class="plain-list">
        {due.rules.map(({ agent, rule, sessions, withoutCopy, firstAt }) => (
          <li key={`${agent} ${rule}`}>
            {agentName(agent)}: {counted(sessions, "session")}
            {withoutCopy === 0
              ? ""
              : `, ${withoutCopy === sessions ? "none" : sessions - withoutCopy} with a copy`}
            , the first {isPast(firstAt) ? "at its next start" : `on ${dateAndClock(firstAt)}`}.{" "}
            <span class="dim">{visibleLine(rule)}.</span>
          </li>
        ))}
      </ul>
      {due.withoutCopy === 0 ? null : (
        <p class="risk-command">
          {isGuarded ? "The guard copies them at its next run, and now by" : "The guard copies them:"}{" "}
          <Command command={command} />
        </p>
      )}
    </section>
  );
}

function isPast(time: string): boolean {
  return Date.parse(time) <= Date.now();
}

interface HiddenProps {
  readonly state: RiskState;
  readonly atRisk: SessionsAtRisk;
}

export function HiddenSessions({ state, atRisk: { hidden, hiddenCount } }: HiddenProps): VNode | null {
  const lines = state.lines.value;
  if (lines.length === 0) return null;
  return (
    <section aria-labelledby="health-hidden">
      <h2 id="health-hidden">Hidden from their agents' own lists</h2>
      <p class="dim">They are on disk, and Continuo reads them. Nothing was deleted.</p>
      <ul class="plain-list">
        {lines.map((line) => (
          <HiddenSession key={line.row.location} line={line} state={state} />
        ))}
      </ul>
      {hiddenCount === hidden.length ? null : (
        <p class="dim">
          {(hiddenCount - hidden.length).toLocaleString("en")} more: <code>continuo doctor sessions</code>
        </p>
      )}
    </section>
  );
}

function HiddenSession({ line, state }: { line: HiddenLine; state: RiskState }): VNode {
  const { row, back } = line;
  const { agent, title, location, means, detail, bringsBack, canBeDone, command } = row;
  const key = back?.key ?? row.key;
  const name = titleText(title);
  return (
    <li class="hidden-session">
      <p class="hidden-session-head">
        {key === null ? (
          <bdi>{name}</bdi>
        ) : (
          <a href={sessionLink(key)}>
            <bdi>{name}</bdi>
          </a>
        )}
        <span class="dim">{agentName(agent)}</span>
        <bdi class="dim place">{visibleLine(location)}</bdi>
      </p>
      {back === null ? (
        <p>
          {visibleLine(means)} {detail === null ? null : <bdi>{visibleLine(detail)}</bdi>}{" "}
          <span class="dim">What brings it back: {visibleLine(bringsBack)}</span>
        </p>
      ) : null}
      {command === null ? null : (
        <p class="risk-command">
          <Command command={command} />
        </p>
      )}
      {row.key !== null && canBeDone ? (
        <WayBack line={line} sessionKey={row.key} name={name} state={state} />
      ) : null}
    </li>
  );
}

function Command({ command }: { command: string }): VNode {
  return (
    <>
      <code>{visibleLine(command)}</code>{" "}
      <button
        type="button"
        aria-label={`Copy ${visibleLine(command)}`}
        onClick={(event) => void copyText(command, event.currentTarget)}
      >
        Copy
      </button>
    </>
  );
}
