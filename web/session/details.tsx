/** The facts of a session: its files, numbers, branches, sub-agents and problems. */

import { visibleLine, visibleText } from "@continuo/core/transcript";
import type { MachineProblem } from "@continuo/core/wire/machine";
import type { VNode } from "preact";
import { bytes, counted, dateAndClock, tokens } from "../content/words.ts";
import { sessionLink } from "../shell/route.ts";
import type { SessionState } from "./session-state.ts";

export function Details({ state }: { state: SessionState }): VNode {
  const head = state.head.value;
  if (head === null) return <main class="page-body">Reading…</main>;
  const { session, location, messages, usage } = head;
  const facts: readonly (readonly [string, string | null])[] = [
    ["Session", session.sessionId],
    ["Kept in", location],
    ["Folder", session.cwd],
    ["Branch of git", session.gitBranch],
    ["Begun", dateAndClock(session.createdAt)],
    ["Updated", dateAndClock(session.updatedAt)],
    ["Size", session.sizeBytes === null ? null : bytes(session.sizeBytes)],
    [
      "Messages",
      `${messages.total} (${messages.user} user, ${messages.assistant} assistant, ${messages.tool} tool)`,
    ],
    ["Tool calls", String(head.toolCalls)],
    [
      "Tokens in",
      usage === null
        ? null
        : `${tokens(usage.inputTokens)}, ${tokens(usage.cacheReadTokens ?? 0)} from the cache`,
    ],
    ["Tokens out", usage === null ? null : tokens(usage.outputTokens)],
    ["Versions", head.agentVersions.join(", ")],
    ["Forked from", head.forkedFrom],
    ["Cannot be changed", head.readOnly],
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <main class="page-body" tabIndex={0}>
      <dl class="fields">
        {facts.map(([name, value]) =>
          value === null || value === "" ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{visibleLine(value)}</bdi>
              </dd>
            </div>
          ),
        )}
      </dl>
      <SubAgents state={state} />
      <Branches state={state} />
      <Problems problems={head.problems} count={head.problemCount} />
    </main>
  );
}

function SubAgents({ state }: { state: SessionState }): VNode | null {
  const subagents = state.head.value?.subagents ?? [];
  if (subagents.length === 0) return null;
  return (
    <section>
      <h2>{counted(subagents.length, "sub-agent")}</h2>
      <ul class="plain-list">
        {subagents.map(({ key, id, type, description, sizeBytes }) => (
          <li key={key}>
            <a href={sessionLink(key)}>
              <bdi>{visibleLine(description ?? type ?? id)}</bdi>
            </a>{" "}
            <span class="dim">
              {type === null ? "" : visibleLine(type)} {bytes(sizeBytes)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Branches({ state }: { state: SessionState }): VNode | null {
  const branches = state.head.value?.branches ?? [];
  if (branches.length < 2) return null;
  return (
    <section>
      <h2>{counted(branches.length, "branch", "branches")}</h2>
      <ul class="plain-list">
        {branches.map(({ id, active, label, messages, updatedAt }) => (
          <li key={id}>
            <bdi>{label === null ? id : visibleLine(label)}</bdi>{" "}
            <span class="dim">
              {active ? "active, " : ""}
              {counted(messages, "message")}, {dateAndClock(updatedAt)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Problems({ problems, count }: { problems: readonly MachineProblem[]; count: number }): VNode | null {
  if (count === 0) return null;
  return (
    <section>
      <h2>{counted(count, "problem")}</h2>
      <ul class="plain-list problems">
        {problems.map(({ code, severity, message, advice, file, line }, at) => (
          <li key={at} class={severity}>
            <p>
              <code>{code}</code> <bdi>{visibleText(message)}</bdi>
            </p>
            <p class="dim">
              {placeOf(file, line)}
              {advice}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function placeOf(file: string | null, line: number | null): string {
  const place = [file === null ? "" : visibleLine(file), line === null ? "" : `line ${line}`];
  const said = place.filter((one) => one !== "").join(", ");
  return said === "" ? "" : `${said}. `;
}
