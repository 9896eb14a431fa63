/** The line below the title: which agent, where, how much. */

import { visibleLine } from "@continuo/core/transcript";
import type { VNode } from "preact";
import { agentName, cost, counted, dateAndClock, shortFolder, tokens } from "../content/words.ts";
import { sessionLink } from "../shell/route.ts";
import type { SessionState } from "./session-state.ts";

export function Facts({ state }: { state: SessionState }): VNode | null {
  const head = state.head.value;
  if (head === null) return state.failure.value === null ? <p class="facts">Reading…</p> : null;
  const { session, models, costUsd, problemCount } = head;
  const turns = state.outline.value?.total ?? session.turns;
  const facts: readonly (string | null)[] = [
    agentName(session.agent),
    models.length === 0 ? null : models.map(visibleLine).join(", "),
    session.cwd === null ? null : visibleLine(shortFolder(session.cwd)),
    session.gitBranch === null ? null : visibleLine(session.gitBranch),
    turns === null ? null : counted(turns, "turn"),
    session.tokens === null ? null : `${tokens(session.tokens)} tokens`,
    costUsd === null ? null : cost(costUsd),
    dateAndClock(session.updatedAt),
  ];
  return (
    <p class="facts">
      {session.live === true ? <span class="state live">live</span> : null}
      {facts
        .filter((fact) => fact !== null && fact !== "")
        .map((fact) => (
          <bdi key={fact}>{fact}</bdi>
        ))}
      {problemCount > 0 ? (
        <a class="state damaged" href={sessionLink(state.key, "details")}>
          {counted(problemCount, "problem")}
        </a>
      ) : null}
      {head.parentKey === null ? null : <a href={sessionLink(head.parentKey)}>Parent session</a>}
    </p>
  );
}
