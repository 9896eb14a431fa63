/** `session info`: all known facts about one session. */

import {
  type CatalogDetails,
  type Cost,
  costOf,
  type LookUpHit,
  openCatalogSession,
  type PriceList,
  type Prices,
  type ResumePrice,
  resumePriceOf,
  usageOf,
} from "@continuo/agents/catalog";
import type { NativeRef, Problem, SubagentInfo, Usage } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { describeResumePrice, locate } from "../../notices/index.ts";
import { pricesWork } from "../../stats/index.ts";
import {
  clockTime,
  createOutput,
  cutEnd,
  formatCost,
  formatCount,
  formatSize,
  type Paint,
  paintFor,
  plural,
  relativeTime,
  type Shell,
  screenOf,
  tildePath,
  toJsonText,
  wrap,
} from "../../terminal/index.ts";
import { detailsToJson } from "../list/index.ts";
import { type Activity, activityOf } from "./activity.ts";

export interface InfoFlags {
  readonly json?: true;
}

export async function runInfo(id: string, flags: InfoFlags, shell: Shell): Promise<number> {
  const located = await locate(id, shell);
  using session = await openCatalogSession(located, shell);
  const { details } = session;
  const activity = await activityOf(session.history());
  const prices = await pricesWork(shell);
  const cost = costOf(await usageOf(session), prices);
  const next = await nextPromptOf(located, prices, shell);
  const output = createOutput(shell.stdout);
  if (flags.json) {
    const facts = { cost: costToJson(cost, prices.list), nextPrompt: next, ...activity };
    await output.write(`${toJsonText({ ...detailsToJson(details), ...facts }, 2)}\n`);
  } else await output.write(drawDetails(details, { activity, cost, next, list: prices.list }, shell));
  return 0;
}

/** The price of continuing it; `null` for one of Continuo's own, which several agents can continue. */
async function nextPromptOf(located: LookUpHit, prices: Prices, { now }: Shell): Promise<ResumePrice | null> {
  if (located.kind === "own") return null;
  const { found, places } = located.native;
  return await resumePriceOf(found, { places, prices, now });
}

type Fact = readonly [name: string, ...lines: string[]];

interface DetailFacts {
  readonly activity: Activity;
  readonly cost: Cost;
  readonly next: ResumePrice | null;
  readonly list: PriceList;
}

function costToJson({ usd, isByPrices, unpriced }: Cost, { asOf, source }: PriceList): object {
  return { usd, isByPrices, unpriced, prices: { asOf, sources: [source] } };
}

function drawDetails(
  details: CatalogDetails,
  { activity, cost, next, list }: DetailFacts,
  shell: Shell,
): string {
  const screen = screenOf(shell, shell.stdout);
  const paint = paintFor(screen);
  const all: readonly Fact[] = [
    ...identity(details, shell),
    ...contents(details),
    ...surroundings(details),
    ["cost", ...describeCost(cost, list)],
    ["resume", ...(next === null ? [] : [describeResumePrice(next)])],
    ...done(activity, shell),
  ];
  const facts = all.filter(([, ...texts]) => texts.length > 0);
  const width = Math.max(...facts.map(([name]) => name.length));
  const rows = rowsOf(screen.isTerminal ? screen.columns : null, paint);
  const lines = facts.flatMap(([name, ...texts]) =>
    texts
      .flatMap((text) => rows(visibleLine(text), width + 2))
      .map((text, at) => `${paint((at === 0 ? name : "").padEnd(width), "dim")}  ${text}`),
  );
  return `${[...lines, ...drawProblems(details, rows, paint)].join("\n")}\n`;
}

/** A text as lines for the columns that remain. */
type Rows = (text: string, before: number) => readonly string[];

/** @param columns the columns of the terminal; `null` for a pipe, where a line is not broken */
function rowsOf(columns: number | null, paint: Paint): Rows {
  return (text, before) => (columns === null ? [text] : wrap([{ text }], columns - before, paint));
}

function identity(details: CatalogDetails, { home, now }: Shell): Fact[] {
  const time = (iso: string | null): string[] => {
    if (iso === null) return [];
    const age = relativeTime(iso, now);
    return [`${clockTime(iso)}${/^\d{4}-/u.test(age) ? "" : ` (${age})`}`];
  };
  const state = [details.live === true ? "live" : null, details.archived ? "archived" : null];
  return [
    ["title", ...presentLine(details.title)],
    ["agent", [details.agent, ...details.agentVersions].join(" ")],
    ["id", details.sessionId],
    ["project", ...presentLine(details.cwd === null ? null : tildePath(details.cwd, home))],
    ["git branch", ...presentLine(details.gitBranch)],
    ["created", ...time(details.createdAt)],
    ["updated", ...time(details.updatedAt)],
    ["size", ...presentLine(details.sizeBytes === null ? null : formatSize(details.sizeBytes))],
    ["state", ...presentLine(state.filter((word) => word !== null).join(", ") || null)],
    ["file", tildePath(details.location, home)],
    ["forked from", ...presentLine(details.forkedFrom)],
    ["native", ...(details.nativeRefs ?? []).map((ref) => describeNative(ref, home))],
  ];
}

function describeNative({ agent, sessionId, location }: NativeRef, home: string): string {
  return `${agent}:${sessionId}${location === null ? "" : `  ${tildePath(location, home)}`}`;
}

function contents({ messages, ...details }: CatalogDetails): Fact[] {
  const roles = (["user", "assistant", "tool", "system"] as const)
    .filter((role) => messages[role] > 0)
    .map((role) => `${formatCount(messages[role])} ${role}`);
  const unknown = Object.entries(details.unknownRecords).map(
    ([type, count]) => `${formatCount(count)} ${type}`,
  );
  return [
    ["messages", `${formatCount(messages.total)}${roles.length === 0 ? "" : ` (${roles.join(", ")})`}`],
    ["tool calls", formatCount(details.toolCalls)],
    ["branches", formatCount(details.branches)],
    ["records", formatCount(details.records)],
    ["unknown records", ...presentLine(unknown.join(", ") || null)],
  ];
}

function surroundings(details: CatalogDetails): Fact[] {
  return [
    ["models", ...presentLine(details.models.join(", ") || null)],
    ["tokens", ...(details.usage === null ? [] : [describeUsage(details.usage)])],
    ["sub-agents", ...details.subagents.map(describeSubagent)],
  ];
}

const SHOWN_ITEMS = 20;
const SHOWN_CHARS = 160;

function done({ files, commands, commits }: Activity, { home }: Shell): Fact[] {
  return [
    ["files", ...some(files.map((file) => tildePath(file, home)))],
    ["commands", ...some(commands)],
    ["commits", ...some(commits.map(({ hash, branch, subject }) => `${hash} ${branch}  ${subject}`))],
  ];
}

function some(items: readonly string[]): string[] {
  const more = items.length - SHOWN_ITEMS;
  const shown = items.slice(0, SHOWN_ITEMS).map((item) => cutEnd(item.replace(/\s+/gu, " "), SHOWN_CHARS));
  return more > 0 ? [...shown, `${formatCount(more)} more: --json prints them`] : shown;
}

function describeUsage(usage: Usage): string {
  const counts: readonly (readonly [number | undefined, string])[] = [
    [usage.inputTokens, "input"],
    [usage.outputTokens, "output"],
    [usage.cacheReadTokens, "cache read"],
    [usage.cacheWriteTokens, "cache write"],
    [usage.reasoningTokens, "reasoning"],
    [usage.totalTokens, "total"],
  ];
  const texts = counts.flatMap(([count, name]) =>
    count === undefined ? [] : [`${formatCount(count)} ${name}`],
  );
  return texts.join(", ");
}

function describeCost(cost: Cost, { asOf }: PriceList): string[] {
  const { usd, isByPrices, unpriced } = cost;
  const models = unpriced.map((model) => model ?? "calls without a model").join(", ");
  return [
    ...(usd === null
      ? []
      : [`${formatCost(cost)}${isByPrices ? ` by list prices of ${asOf}` : ", as the agent reports"}`]),
    ...(unpriced.length === 0 ? [] : [`no price for ${models}: \`prices\` in continuo.yaml sets one`]),
  ];
}

function describeSubagent(subagent: SubagentInfo): string {
  const words = [
    subagent.id,
    subagent.type,
    subagent.model,
    formatSize(subagent.sizeBytes),
    subagent.description,
  ];
  return words.filter((word) => word !== null).join("  ");
}

function drawProblems({ problems }: CatalogDetails, rows: Rows, paint: Paint): string[] {
  if (problems.length === 0) return [];
  const lines = problems.flatMap((problem) => rows(describeProblem(problem), 2).map((line) => `  ${line}`));
  return ["", paint(plural(problems.length, "problem"), "yellow"), ...lines];
}

function describeProblem(problem: Problem): string {
  const place = [problem.file, problem.line === null ? undefined : `line ${problem.line}`];
  const where = place.filter((word) => word !== undefined).join(", ");
  return visibleLine(`${where === "" ? "" : `${where}: `}${problem.message} (${problem.code})`);
}

function presentLine(text: string | null): string[] {
  return text === null ? [] : [text];
}
