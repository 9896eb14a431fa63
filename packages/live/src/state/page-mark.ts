/** The facts of the fold about a session's page: its place in the log and the cost of its passes, not its items. */

import { type Fields, isFields, LIMITS, type LiveBudget } from "../kit/index.ts";

export interface PageMark {
  /** The sequence of the newest `page_written`; 0 if there is no page. */
  readonly sequence: number;
  /** The page includes the evidence up to this sequence. */
  readonly through: number;
  /** The sequence of the newest words that were said. */
  readonly saidAt: number;
  readonly passes: number;
  /** The number of passes of a model; `tokens` and `costUsd` are their cost. */
  readonly modelPasses: number;
  readonly tokens: number;
  readonly costUsd: number;
  /** The newest operation of a person on each item, by its sequence. */
  readonly changes: readonly { readonly itemId: string; readonly sequence: number }[];
}

export const NO_PAGE: PageMark = {
  sequence: 0,
  through: 0,
  saidAt: 0,
  passes: 0,
  modelPasses: 0,
  tokens: 0,
  costUsd: 0,
  changes: [],
};

export function addPage(page: PageMark, { through, pass }: Fields, sequence: number): PageMark {
  return {
    ...page,
    sequence,
    through: typeof through === "number" ? through : sequence,
    passes: typeof pass === "number" ? Math.max(page.passes, pass) : page.passes + 1,
  };
}

/** Counts a pass of a model, if the decision is one of a pass; other decisions change nothing. */
export function addPass(page: PageMark, { pass, cost }: Fields): PageMark {
  if (!isFields(pass)) return page;
  const { inputTokens, outputTokens, costUsd } = isFields(cost) ? cost : {};
  const number = (value: unknown): number => (typeof value === "number" ? value : 0);
  return {
    ...page,
    modelPasses: page.modelPasses + 1,
    tokens: page.tokens + number(inputTokens) + number(outputTokens),
    costUsd: page.costUsd + number(costUsd),
  };
}

export function addPageChange(page: PageMark, { itemId, operation }: Fields, sequence: number): PageMark {
  if (typeof itemId !== "string") return page;
  const others = page.changes.filter((change) => change.itemId !== itemId);
  return { ...page, changes: operation === "undo" ? others : [...others, { itemId, sequence }] };
}

/** True if the passes of a model have used up their number, or their share of the session's budget. */
export function isSpentOnPage(
  { modelPasses, tokens, costUsd }: PageMark,
  budget: LiveBudget | null,
): boolean {
  const { maxTokens = Number.POSITIVE_INFINITY, maxCostUsd = Number.POSITIVE_INFINITY } = budget ?? {};
  return (
    modelPasses >= LIMITS.pagePasses ||
    tokens >= maxTokens * LIMITS.pageShare ||
    costUsd >= maxCostUsd * LIMITS.pageShare
  );
}
