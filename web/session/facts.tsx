/** The line below the title: which agent, where, how much. */

import { visibleLine } from "@continuo/core/transcript";
import type { VNode } from "preact";
import { agentName, bytes, cost, counted, dateAndClock, shortFolder, tokens } from "../content/words.ts";
import { sessionLink } from "../shell/route.ts";
import type { SessionState } from "./session-state.ts";

export function Facts({ state }: { state: SessionState }): VNode | null {
  const head = state.head.value;
  const session = head?.session ?? state.reading.value;
  if (session === null) return state.failure.value === null ? <p class="facts">Reading…</p> : null;
  const { model, costUsd } = head === null ? session : { ...head.session, costUsd: head.costUsd };
  const models = head?.models ?? (model === null ? [] : [model]);
  const problemCount = head?.problemCount ?? 0;
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
      {head === null || head.parentKey === null ? null : (
        <a href={sessionLink(head.parentKey)}>Parent session</a>
      )}
      {head?.handedOverFrom == null ? null : (
        <a href={sessionLink(head.handedOverFrom)}>The session that it was handed over from</a>
      )}
      {state.reading.value === null ? null : (
        <span class="state reading" role="status">
          {readingWords(state)}
        </span>
      )}
    </p>
  );
}

/** Says what is still missing while a long session is read. */
export function readingWords({ reading, head }: SessionState): string {
  const size = reading.value?.sizeBytes ?? null;
  const all = size === null ? "Reading all of it" : `Reading all ${bytes(size)}`;
  return head.value === null
    ? `${all}: earlier turns, files and cost follow`
    : `${all}: earlier turns follow`;
}
