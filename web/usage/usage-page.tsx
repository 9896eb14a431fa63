/** Usage: what all sessions used and cost, by day, project, model and agent. */

import { visibleLine } from "@continuo/core/transcript";
import { MACHINE_ROOT, type MachineUsage, type UsageGroup } from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { ErrorText } from "../content/error-text.tsx";
import { agentName, cost, counted, shortFolder, tokens } from "../content/words.ts";
import { useKeys } from "../shell/keys.ts";
import { route } from "../shell/route.ts";
import { ask, isAbort, isLost, sayError } from "../state/server.ts";
import { listLink, NO_FILTERS } from "../state/sessions.ts";
import {
  type Bar,
  barsOf,
  PERIODS,
  type Period,
  sinceOfPeriod,
  type UsageChoices,
  usageChoicesIn,
  usageLink,
} from "./usage-state.ts";

export function UsagePage(): VNode {
  // Each change of the address is a new value of the route.
  void route.value;
  const choices = usageChoicesIn(location.hash);
  const usage = useSignal<MachineUsage | null>(null);
  const failure = useSignal<string | null>(null);
  useEffect(() => {
    document.title = "Usage · Continuo";
  }, []);
  useEffect(() => {
    const stop = new AbortController();
    void read(choices.period, stop.signal).then(
      (answer) => {
        usage.value = answer;
        failure.value = null;
      },
      (error: unknown) => {
        if (!isAbort(error)) failure.value = sayError(error);
      },
    );
    return () => stop.abort();
  }, [choices.period, isLost.value]);
  useKeys({
    u: () => {
      location.hash = "#/";
    },
  });
  return (
    <main class="page-body usage">
      <header class="usage-head">
        <h1>Usage</h1>
        <Choices choices={choices} />
      </header>
      {failure.value === null ? null : (
        <p class="notice bad" role="alert">
          <ErrorText text={failure.value} />
        </p>
      )}
      {usage.value === null ? (
        <p class="dim" role="status">
          Counting. The first time, every session is read.
        </p>
      ) : (
        <Figures usage={usage.value} choices={choices} />
      )}
    </main>
  );
}

async function read(period: Period, signal: AbortSignal): Promise<MachineUsage> {
  const since = sinceOfPeriod(period, new Date());
  const query = since === undefined ? "" : `?${new URLSearchParams({ since })}`;
  return await ask<MachineUsage>(`${MACHINE_ROOT}/usage${query}`, { signal });
}

function Choices({ choices }: { choices: UsageChoices }): VNode {
  const words = (period: Period): string => (period === "all" ? "All" : `${period} days`);
  return (
    <>
      <nav class="usage-choices" aria-label="Period">
        {PERIODS.map((period) => (
          <a
            key={period}
            href={usageLink({ ...choices, period })}
            aria-current={choices.period === period ? "true" : undefined}
          >
            {words(period)}
          </a>
        ))}
      </nav>
      <nav class="usage-choices" aria-label="Measure">
        {(["cost", "tokens"] as const).map((measure) => (
          <a
            key={measure}
            href={usageLink({ ...choices, measure })}
            aria-current={choices.measure === measure ? "true" : undefined}
          >
            {measure === "cost" ? "Cost" : "Tokens"}
          </a>
        ))}
      </nav>
    </>
  );
}

type Measure = UsageChoices["measure"];

function Figures({ usage, choices }: { usage: MachineUsage; choices: UsageChoices }): VNode {
  const { measure } = choices;
  const { total, days, projects, models, agents, unreadable } = usage;
  return (
    <>
      <dl class="usage-totals">
        <Total name="Cost" value={costOf(total)} />
        <Total name="Tokens" value={tokens(total.tokens.total)} />
        <Total name="Sessions" value={total.sessions.toLocaleString("en")} />
        <Total name="Turns" value={total.turns.toLocaleString("en")} />
      </dl>
      <p class="dim usage-note">{priceNote(usage)}</p>
      {unreadable === 0 ? null : (
        <p class="notice bad">{counted(unreadable, "session")} could not be read, and are not counted.</p>
      )}
      {days.length === 0 ? <Nothing choices={choices} /> : <Chart bars={barsOf(days)} measure={measure} />}
      <Table name="Projects" groups={projects} measure={measure} nameOf={shortFolder} linkOf={projectLink} />
      <Table name="Models" groups={models} measure={measure} />
      <Table name="Agents" groups={agents} measure={measure} nameOf={agentName} linkOf={agentLink} />
    </>
  );
}

/** Without sessions, the cost is 0 and not unknown. */
function costOf({ costUsd, sessions }: MachineUsage["total"]): string {
  if (costUsd === null) return sessions === 0 ? cost(0) : "unknown";
  return cost(costUsd);
}

function Total({ name, value }: { name: string; value: string }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function priceNote({ total: { isByPrices, unpriced, costUsd }, prices }: MachineUsage): string {
  const names = unpriced.map((model) => (model === null ? "tokens without a model" : visibleLine(model)));
  const shown = names.slice(0, 5).join(", ");
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return [
    isByPrices ? `By prices of ${prices.asOf}, where the agent reports no cost.` : "",
    costUsd !== null && !isByPrices ? "As the agents report it." : "",
    names.length === 0 ? "" : `Not in the cost, because there is no price: ${shown}${more}.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function sizeOf({ costUsd, tokens: { total } }: UsageGroup, measure: Measure): number {
  return measure === "cost" ? (costUsd ?? 0) : total;
}

/** Shows that nothing was used, with a link to the time before. */
function Nothing({ choices }: { choices: UsageChoices }): VNode {
  return (
    <p class="dim">
      Nothing was used in this time.
      {choices.period === "all" ? null : (
        <>
          {" "}
          <a href={usageLink({ ...choices, period: "all" })}>Show all</a>
        </>
      )}
    </p>
  );
}

/** A bar for each day or month; each has its figures as words. */
function Chart({ bars, measure }: { bars: readonly Bar[]; measure: Measure }): VNode | null {
  if (bars.length === 0) return null;
  const size = (bar: Bar): number => (measure === "cost" ? bar.costUsd : bar.tokens);
  const most = Math.max(...bars.map(size), Number.MIN_VALUE);
  const words = (bar: Bar): string => (measure === "cost" ? cost(bar.costUsd) : tokens(bar.tokens));
  const [first, last] = [bars[0], bars.at(-1)];
  return (
    <figure class="usage-chart">
      <figcaption>
        {measure === "cost" ? "Cost" : "Tokens"} by {first?.time.length === 7 ? "month" : "day"}, at most{" "}
        {words(bars.reduce((a, b) => (size(b) > size(a) ? b : a)))}
      </figcaption>
      <ul>
        {bars.map((bar) => (
          <li key={bar.time} title={`${bar.time}: ${words(bar)}`}>
            <span class="bar" style={{ height: `${(100 * size(bar)) / most}%` }} />
            <span class="hidden-text">
              {bar.time}: {words(bar)}
            </span>
          </li>
        ))}
      </ul>
      <p class="usage-ends dim" aria-hidden="true">
        <span>{first?.time}</span>
        <span>{last === first ? "" : last?.time}</span>
      </p>
    </figure>
  );
}

interface TableProps {
  readonly name: string;
  readonly groups: readonly UsageGroup[];
  readonly measure: Measure;
  readonly nameOf?: (key: string) => string;
  readonly linkOf?: (key: string) => string;
}

function Table({ name, groups, measure, nameOf = (key) => key, linkOf }: TableProps): VNode | null {
  if (groups.length === 0) return null;
  const most = Math.max(...groups.map((group) => sizeOf(group, measure)), Number.MIN_VALUE);
  const ordered = groups.toSorted((a, b) => sizeOf(b, measure) - sizeOf(a, measure));
  return (
    <section class="usage-table">
      <table>
        <caption>{name}</caption>
        <thead>
          <tr>
            <th scope="col">{name.slice(0, -1)}</th>
            <th scope="col">Sessions</th>
            <th scope="col">Turns</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {ordered.map((group) => (
            <tr key={group.key ?? ""}>
              <th scope="row">
                <span class="share" style={{ width: `${(100 * sizeOf(group, measure)) / most}%` }} />
                <GroupName group={group} nameOf={nameOf} linkOf={linkOf} />
              </th>
              <td>{group.sessions.toLocaleString("en")}</td>
              <td>{group.turns.toLocaleString("en")}</td>
              <td>{tokens(group.tokens.total)}</td>
              <td>{group.costUsd === null ? "–" : cost(group.costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function GroupName({
  group: { key },
  nameOf,
  linkOf,
}: {
  group: UsageGroup;
  nameOf: (key: string) => string;
  linkOf: ((key: string) => string) | undefined;
}): VNode {
  if (key === null) return <span class="dim">unknown</span>;
  const name = <bdi>{visibleLine(nameOf(key))}</bdi>;
  return linkOf === undefined ? name : <a href={linkOf(key)}>{name}</a>;
}

function projectLink(project: string): string {
  return listLink({ ...NO_FILTERS, project });
}

function agentLink(agent: string): string {
  return listLink({ ...NO_FILTERS, agents: [agent] });
}
