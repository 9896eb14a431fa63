/** The parts of a conversation that two agents must send alike, although each sends it in its own way. */

import { formatOf, openNativeSession, type Places } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { type Item, normaliseView } from "../agents/items.ts";

/** opencode sends the thinking of another model as text, but it is handed over as thinking. */
export async function sourceView(
  agent: AgentName,
  sessionId: string,
  places: Places,
): Promise<readonly Item[]> {
  using session = await openNativeSession(`${agent}:${sessionId}`, { places });
  const history = await Array.fromAsync(session.history());
  const thoughts = new Set(
    history.flatMap(({ content }) => content.map((block) => (block.type === "thinking" ? block.text : null))),
  );
  const view = normaliseView((await formatOf(agent)).modelView(history), { tellsErrors: false });
  // The second generation joins thinking with the text that follows it.
  const withoutThought = (text: string): string => {
    const thought = [...thoughts].find((one) => one !== null && text.startsWith(`${one}\n`));
    return thought === undefined ? text : text.slice(`${thought}\n`.length);
  };
  return view
    .filter((item) => item.kind !== "text" || !thoughts.has(item.text))
    .map((item) => (item.kind === "text" ? { ...item, text: withoutThought(item.text) } : item));
}

const MADE =
  /^(No response requested\.|Tool loaded\.$|\[The previous response was|\[The conversation begins|Attached media from tool result:)/u;
const NEVER_CAME =
  /^(No result provided|aborted|\[(Tool call interrupted|Tool execution was interrupted|No result of this call))/u;

/**
 * Returns the parts that both must send. It leaves out thinking, which each agent sends by its own rules, ids, and
 * sentences that an agent inserts. Pictures of results come after everything else, because not every agent can put them
 * into a result. Line breaks in results are removed, because some agents join several texts with them.
 */
export function saidIn(items: readonly Item[]): unknown {
  const calls = new Map(items.flatMap((item) => (item.kind === "call" ? [[item.id, item.name]] : [])));
  const told = items.flatMap((item): unknown[] => {
    if (item.kind === "thinking" || item.kind === "other") return [];
    if (item.kind === "text")
      return MADE.test(item.text) || item.text === "" ? [] : [`${item.role}: ${withoutGuard(item.text)}`];
    if (item.kind === "call") {
      // Codex keeps the input of some tools as text.
      return [{ name: item.name, args: typeof item.args === "string" ? { input: item.args } : item.args }];
    }
    if (item.kind !== "result") return [];
    const text = item.text.trim().replaceAll("\n", "");
    return [{ of: calls.get(item.id), text: NEVER_CAME.test(text) ? NO_RESULT : text }];
  });
  const pictures = items.flatMap((item) =>
    item.kind === "image" ? [item.image] : item.kind === "result" ? item.images : [],
  );
  return { told: withSortedResults(withResultsBehind(told)), pictures: pictures.toSorted() };
}

const NO_RESULT = "no result came";

/** Codex puts the placeholder for a missing result between the calls of one answer. */
function withResultsBehind(told: readonly unknown[]): unknown[] {
  const ordered: unknown[] = [];
  const waiting: unknown[] = [];
  for (const one of told) {
    const isObject = typeof one === "object" && one !== null;
    if (isObject && "text" in one && one.text === NO_RESULT) waiting.push(one);
    else {
      const isCall = isObject && "args" in one;
      if (!isCall) ordered.push(...waiting.splice(0));
      ordered.push(one);
    }
  }
  return [...ordered, ...waiting];
}

/** Gemini CLI does not send a text that begins with a slash, unless an invisible character stands before it. */
function withoutGuard(text: string): string {
  return text.replace(/^\u200b(?=\/)/u, "");
}

/** Gemini CLI and opencode keep the results of parallel calls in the order of the calls. */
function withSortedResults(told: readonly unknown[]): unknown[] {
  const runs: unknown[][] = [];
  const isResult = (one: unknown): boolean => typeof one === "object" && one !== null && "of" in one;
  for (const one of told) {
    const run = runs.at(-1);
    if (run !== undefined && isResult(one) && isResult(run[0])) run.push(one);
    else runs.push([one]);
  }
  return runs.flatMap((run) => run.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)));
}
