/**
 * The planner cuts messages to a budget of any kind.
 *
 * 1. The newest unit always stays; if it exceeds the budget by itself, its texts are cut in the middle and marked.
 * 2. System messages, newest first, up to half of the budget.
 * 3. Further units, newest first, until one does not fit.
 *
 * (Other strategies keep another unit, or choose the others in another order.)
 */

import { assertKnownOptions, cancellable, type KnownOptions, type Message } from "../../model/index.ts";
import { type Budget, type BudgetOptions, minus, shareOf, toBudget } from "./budget.ts";
import { chooseUnits, type StrategyOptions } from "./choose.ts";
import { type Cost, charsOfMessages, costOf } from "./cost.ts";
import { cutMessages } from "./cut.ts";
import { toUnits, type UnitMessage, type UnpairedCounts } from "./units.ts";

/** Writes a text in place of messages that are left out, in at most `maxChars`. */
export type Summarizer = (
  messages: readonly Message[],
  options: { readonly maxChars: number; readonly signal?: AbortSignal },
) => string | Promise<string>;

export interface PlanOptions extends BudgetOptions, StrategyOptions {
  /**
   * Called only if something is left out. A fifth of the budget is reserved for the text that it writes.
   */
  readonly summarizer?: Summarizer;
  readonly signal?: AbortSignal;
}

export const BUDGET_OPTIONS: KnownOptions<BudgetOptions & StrategyOptions> = {
  maxMessages: true,
  maxChars: true,
  maxTokensApprox: true,
  tokenizer: true,
  strategy: true,
  pageAfter: true,
  around: true,
  pinned: true,
};
const PLAN_OPTIONS: KnownOptions<PlanOptions> = { ...BUDGET_OPTIONS, summarizer: true, signal: true };
const AROUND: KnownOptions<NonNullable<StrategyOptions["around"]>> = {
  id: true,
  sequence: true,
  timestamp: true,
};

/** Errors: `usage` for an unknown option. */
export function assertBudgetOptions(what: string, options: StrategyOptions, known: object): void {
  assertKnownOptions(what, options, known);
  assertKnownOptions("around", options.around ?? {}, AROUND);
}

export interface OmittedMessages {
  readonly messages: number;
  /** The number of events that the messages were made of. */
  readonly events: number;
  /** Sequences of their events; `null` if none has one. */
  readonly firstSequence: number | null;
  readonly lastSequence: number | null;
  /** The cost of the messages that were left out, and of the text that was cut from the unit that always stays. */
  readonly chars: number;
  /** Calls without a result, and results without a call: these are in no context. */
  readonly halves: UnpairedCounts;
}

export interface ContextPlan {
  /** The chosen messages in their order. Messages that were cut have `metadata.cut`. */
  readonly messages: readonly Message[];
  readonly omitted: OmittedMessages;
  readonly cost: Cost;
}

/**
 * Returns a promise if there is a summarizer. Errors: `usage` for an unknown option, `invalid` for a budget,
 * `not_found` for `pageAfter` and `around`.
 */
export function planContext(
  messages: readonly Message[],
  options: PlanOptions & { readonly summarizer: Summarizer },
): Promise<ContextPlan>;
export function planContext(
  messages: readonly Message[],
  options?: PlanOptions & { readonly summarizer?: undefined },
): ContextPlan;
export function planContext(
  messages: readonly Message[],
  options: PlanOptions = {},
): ContextPlan | Promise<ContextPlan> {
  assertBudgetOptions("planContext", options, PLAN_OPTIONS);
  const budget = toBudget(options);
  const { summarizer } = options;
  if (summarizer === undefined) return planWithin(messages, budget, options).plan;
  return cancellable(options.signal, () => planWithSummary(messages, budget, { ...options, summarizer }));
}

/** Plans without a summary, and accepts further options of the caller. */
export function planWithinBudget(
  messages: readonly Message[],
  options: BudgetOptions & StrategyOptions,
): ContextPlan {
  return planWithin(messages, toBudget(options), options).plan;
}

interface PlanAndCost {
  readonly plan: ContextPlan;
  readonly left: readonly Message[];
}

function planWithin(messages: readonly Message[], budget: Budget, options: StrategyOptions): PlanAndCost {
  const { units, halves } = toUnits(messages);
  const members = chooseUnits(units, budget, options);
  const chosen = members.map(({ message }) => message);
  const places = new Set(members.map(({ position }) => position));
  const left = messages.filter((_, position) => !places.has(position));
  const omitted = omittedOf(messages, { members, left, halves });
  return { plan: { messages: chosen, omitted, cost: costOf(chosen, budget.tokenizer) }, left };
}

interface Outcome {
  readonly members: readonly UnitMessage[];
  readonly left: readonly Message[];
  readonly halves: UnpairedCounts;
}

function omittedOf(messages: readonly Message[], { members, left, halves }: Outcome): OmittedMessages {
  let events = 0;
  let firstSequence: number | null = null;
  let lastSequence: number | null = null;
  for (const { metadata } of left) {
    const { sequence, lastSequence: last } = metadata;
    if (typeof metadata.events === "number") events += metadata.events;
    if (typeof sequence === "number") firstSequence = Math.min(firstSequence ?? sequence, sequence);
    if (typeof last === "number") lastSequence = Math.max(lastSequence ?? last, last);
  }
  let chars = charsOfMessages(left);
  for (const { position, message } of members) {
    const original = messages[position];
    if (original !== undefined && original !== message) {
      chars += charsOfMessages([original]) - charsOfMessages([message]);
    }
  }
  return { messages: left.length, events, firstSequence, lastSequence, chars, halves };
}

const SUMMARY_SHARE = 1 / 5;

async function planWithSummary(
  messages: readonly Message[],
  budget: Budget,
  options: PlanOptions & { readonly summarizer: Summarizer },
): Promise<ContextPlan> {
  const { summarizer, signal } = options;
  const whole = planWithin(messages, budget, options);
  if (whole.left.length === 0 || budget.messages < 2) return whole.plan;
  const share = { ...shareOf(budget, SUMMARY_SHARE), messages: 1 };
  const { plan, left } = planWithin(messages, minus(budget, share), options);
  signal?.throwIfAborted();
  const text = await summarizer(left, { maxChars: share.chars, ...(signal === undefined ? {} : { signal }) });
  signal?.throwIfAborted();
  if (text === "") return whole.plan;
  const summary = cutSummary(toSummary(text, plan.omitted), share);
  const at = plan.messages.findIndex((message) => message.role !== "system");
  const withIt = plan.messages.toSpliced(at === -1 ? plan.messages.length : at, 0, summary);
  return { ...plan, messages: withIt, cost: costOf(withIt, budget.tokenizer) };
}

function toSummary(text: string, { firstSequence, lastSequence }: OmittedMessages): Message {
  return {
    id: `summary-${firstSequence ?? 0}-${lastSequence ?? 0}`,
    role: "user",
    origin: "summary",
    content: [{ type: "text", text }],
    metadata: {},
  };
}

function cutSummary(summary: Message, share: Budget): Message {
  let chars = Math.min(share.chars, charsOfMessages([summary]));
  let [cut = summary] = cutMessages([summary], chars);
  while (costOf([cut], share.tokenizer).tokens > share.tokens && chars > 0) {
    chars = Math.floor(chars / 2);
    [cut = summary] = cutMessages([summary], chars);
  }
  return cut;
}
