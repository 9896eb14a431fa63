/**
 * The context: messages cut to a budget.
 *
 * Promises: pure; a call and its results stay together; the order stays; no budget is exceeded, except by the number of
 * messages and the names of calls in the one unit that always stays; the omission of messages is reported.
 * Does not know: events, stores, models.
 */

export { type BudgetOptions, isLimited } from "./budget.ts";
export type { Strategy, StrategyOptions } from "./choose.ts";
export { type Cost, costOf, type Tokenizer, type TokenizerModule, toTokenizer } from "./cost.ts";
export { cutMiddle } from "./cut.ts";
export { estimateTokens } from "./estimate-tokens.ts";
export {
  type AttemptRequest,
  type EarlierAttempt,
  earlierAttempt,
  type ModelTurns,
  toModelTurns,
  withoutReason,
  withoutReplaced,
} from "./model-turns.ts";
export {
  assertBudgetOptions,
  BUDGET_OPTIONS,
  type ContextPlan,
  type OmittedMessages,
  type PlanOptions,
  planContext,
  planWithinBudget,
  type Summarizer,
} from "./plan.ts";
export { PROMPT_BEFORE_ANSWER, toModelOrder, type UnpairedCounts } from "./units.ts";
