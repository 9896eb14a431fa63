/** A budget, and the part of it that is left. */

import { ContinuoError } from "../../model/index.ts";
import type { Cost, Tokenizer } from "./cost.ts";

/** The bounds of a context. A bound that is left out means no limit. */
export interface BudgetOptions {
  readonly maxMessages?: number;
  /** In UTF-16 units. */
  readonly maxChars?: number;
  /** Four characters count as a token; with a `tokenizer`, the tokens are counted. */
  readonly maxTokensApprox?: number;
  readonly tokenizer?: Tokenizer;
}

export interface Budget extends Cost {
  readonly tokenizer: Tokenizer | undefined;
}

const CHARS_PER_TOKEN = 4;

/** Errors: `invalid` for a limit that is not a number of at least 0. */
export function toBudget(options: BudgetOptions): Budget {
  const { tokenizer } = options;
  const maxTokens = limitOf("maxTokensApprox", options.maxTokensApprox);
  const maxChars = limitOf("maxChars", options.maxChars);
  const isCounted = tokenizer !== undefined;
  return {
    messages: limitOf("maxMessages", options.maxMessages),
    chars: Math.floor(isCounted ? maxChars : Math.min(maxChars, maxTokens * CHARS_PER_TOKEN)),
    tokens: isCounted ? maxTokens : Number.POSITIVE_INFINITY,
    tokenizer,
  };
}

function limitOf(name: string, value: number | undefined): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (typeof value === "number" && value >= 0) return value;
  throw new ContinuoError("invalid", `${name} must be a number of at least 0`, {
    details: { [name]: value },
  });
}

export function isLimited(options: BudgetOptions): boolean {
  return [options.maxMessages, options.maxChars, options.maxTokensApprox].some(
    (limit) => limit !== undefined,
  );
}

export function fits(spent: Cost, cost: Cost, limit: Cost): boolean {
  return (
    spent.messages + cost.messages <= limit.messages &&
    spent.chars + cost.chars <= limit.chars &&
    spent.tokens + cost.tokens <= limit.tokens
  );
}

export function plus(a: Cost, b: Cost): Cost {
  return { messages: a.messages + b.messages, chars: a.chars + b.chars, tokens: a.tokens + b.tokens };
}

/** A part of a budget, rounded down. */
export function shareOf(budget: Budget, share: number): Budget {
  return {
    messages: Math.floor(budget.messages * share),
    chars: Math.floor(budget.chars * share),
    tokens: Math.floor(budget.tokens * share),
    tokenizer: budget.tokenizer,
  };
}

/** The result is never below 0. */
export function minus(budget: Budget, cost: Cost): Budget {
  const rest = (limit: number, spent: number): number =>
    limit === Number.POSITIVE_INFINITY ? limit : Math.max(0, limit - spent);
  return {
    messages: rest(budget.messages, cost.messages),
    chars: rest(budget.chars, cost.chars),
    tokens: rest(budget.tokens, cost.tokens),
    tokenizer: budget.tokenizer,
  };
}
