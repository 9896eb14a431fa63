/** Health: a judgement, the sessions that a person may miss, and then the figures of the server and its store. */

import { visibleLine } from "@continuo/core/transcript";
import { type HealthRun, MACHINE_ROOT, type MachineHealth } from "@continuo/core/wire/machine";
import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { ErrorText } from "../content/error-text.tsx";
import { titleText } from "../content/title.ts";
import { agentName, bytes, clock, counted, dateAndClock } from "../content/words.ts";
import { useKeys } from "../shell/keys.ts";
import { sessionLink } from "../shell/route.ts";
import { passHeaders } from "../state/pass.ts";
import { Poll } from "../state/polling.ts";
import { ask } from "../state/server.ts";
import { DueSessions, HiddenSessions } from "./at-risk.tsx";
import { type HealthJudgement, judge } from "./judgement.ts";
import { readMetrics, type ServerNumbers } from "./metrics.ts";
import { RiskState } from "./risk-state.ts";

interface Health {
  readonly machine: MachineHealth;
  readonly isReady: boolean;
  /** `null` if this page is not allowed to read them. */
  readonly server: ServerNumbers | null;
  readonly at: string;
}

async function readHealth(signal: AbortSignal): Promise<Health> {
  const [machine, ready, metrics] = await Promise.all([
    ask<MachineHealth>(`${MACHINE_ROOT}/health`, { signal }),
    fetch("/readyz", { signal }),
    fetch("/metrics", { signal, headers: passHeaders() }),
  ]);
  const server = metrics.ok ? readMetrics(await metrics.text()) : null;
  return { machine, isReady: ready.ok, server, at: new Date().toISOString() };
}

export function HealthPage(): VNode {
  const state = useMemo(() => new Poll(readHealth), []);
  useEffect(() => {
    document.title = "Health · Continuo";
    return state.follow();
  }, [state]);
  const risk = useMemo(() => new RiskState(), []);
  useEffect(() => {
    void risk.read();
    return () => risk.stop();
  }, [risk]);
  useKeys({
    u: () => {
      location.hash = "#/";
    },
  });
  const health = state.answer.value;
  const answeredAt = health?.at ?? null;
  // The server answers again: parts that failed before are requested again.
  useEffect(() => {
    if (answeredAt !== null && risk.failure.value !== null) void risk.read();
  }, [risk, answeredAt]);
  const failure = state.failure.value ?? risk.failure.value;
  return (
    <main class="page-body health">
      <h1>Health</h1>
      {failure === null ? null : (
        <p class="notice bad" role="alert">
          <ErrorText text={failure} />
        </p>
      )}
      {health === null ? null : <Sections health={health} risk={risk} />}
    </main>
  );
}

function goToSection(id: string): void {
  const heading = document.getElementById(id);
  heading?.setAttribute("tabindex", "-1");
  heading?.focus();
  heading?.scrollIntoView({ block: "start" });
}

interface SectionsProps {
  readonly health: Health;
  readonly risk: RiskState;
}

function Sections({ health: { machine, isReady, server, at }, risk }: SectionsProps): VNode {
  const { store, running, waiting, conversations } = machine;
  const atRisk = risk.answer.value;
  const isLooking = risk.failure.value === null;
  return (
    <>
      <Judgement found={judge({ isReady, failed: server?.failed ?? 0, running, atRisk, isLooking })} />
      {atRisk === null ? null : <DueSessions atRisk={atRisk} />}
      {atRisk === null ? null : <HiddenSessions state={risk} atRisk={atRisk} />}
      <section aria-labelledby="health-server">
        <h2 id="health-server">Server</h2>
        <Facts
          facts={[
            ["Store answers", isReady ? "yes" : "no", isReady ? "good" : "bad"],
            ["Open streams", server === null ? "not known" : String(server.connections)],
            ["Requests", server === null ? "not known" : server.requests.toLocaleString("en")],
            [
              "Failed by the server",
              server === null ? "not known" : String(server.failed),
              server?.failed ? "bad" : "",
            ],
            ["Open conversations", String(conversations)],
            ["Checked at", clock(at)],
          ]}
        />
      </section>
      <section aria-labelledby="health-turns">
        <h2 id="health-turns">Turns</h2>
        <p class="dim">
          {running.length === 0
            ? "No turn is running"
            : `${counted(running.length, "turn")} ${running.length === 1 ? "is" : "are"} running`}
          {waiting === 0 ? "" : `, ${counted(waiting, "prompt")} ${waiting === 1 ? "is" : "are"} waiting`}.
        </p>
        {running.length === 0 ? null : (
          <ul class="plain-list">
            {running.map((run) => (
              <RunningTurn key={run.key} run={run} />
            ))}
          </ul>
        )}
      </section>
      <section aria-labelledby="health-store">
        <h2 id="health-store">Store</h2>
        {store === null ? (
          <p class="dim">There is no store yet. Continuo makes it with its first session.</p>
        ) : (
          <Facts
            facts={[
              ["Engine", store.engine],
              ["Place", store.location],
              ["Size", bytes(store.sizeBytes)],
              ["Sessions", store.sessions.toLocaleString("en")],
              ["Runs", store.runs.toLocaleString("en")],
              ["Events", store.events.toLocaleString("en")],
              ["Blobs", store.blobs.toLocaleString("en")],
              ["Schema", String(store.schemaVersion)],
            ]}
          />
        )}
      </section>
    </>
  );
}

function Judgement({ found }: { found: readonly HealthJudgement[] }): VNode {
  return (
    <div role="status">
      <ul class="judgement">
        {found.map(({ tone, sentence, section }) => (
          <li key={sentence} class={tone}>
            <span>{visibleLine(sentence)}</span>
            {section === null ? null : (
              <button
                type="button"
                class="quiet"
                aria-label={`Details: ${sentence}`}
                onClick={() => goToSection(section)}
              >
                Details
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

const RUNNERS: Readonly<Record<HealthRun["runner"], string>> = {
  "this server": "runs in this server",
  "another process": "runs in another process",
  nobody: "its process has ended; the next prompt ends the turn",
};

function RunningTurn({
  run: { key, title, agent, startedAt, runner, leaseUntil },
}: {
  run: HealthRun;
}): VNode {
  return (
    <li>
      <a href={sessionLink(key)}>
        <bdi>{titleText(title)}</bdi>
      </a>{" "}
      <span class="dim">
        {agent === null ? "" : `${agentName(agent)}, `}since {dateAndClock(startedAt)},{" "}
      </span>
      <span class={runner === "nobody" ? "bad" : "dim"}>{RUNNERS[runner]}</span>
      {leaseUntil === null ? null : <span class="dim">, lease until {clock(leaseUntil)}</span>}
    </li>
  );
}

type Fact = readonly [name: string, value: string, tone?: string];

function Facts({ facts }: { facts: readonly Fact[] }): VNode {
  return (
    <dl class="fields">
      {facts.map(([name, value, tone = ""]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={tone}>
            <bdi>{visibleLine(value)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
