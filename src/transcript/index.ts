/**
 * Transcripts (events folded into messages), contexts (messages cut to a budget), and messages on their way to
 * a reader: rendered as Markdown or text, or (in `html/`, which is loaded apart because its Markdown parser
 * costs a start) as one HTML page.
 *
 * Promises: pure.
 * Does not know: terminals, colours, files, agents.
 */

export type {
  FromEventsOptions,
  FromStoreOptions,
  Transcript,
  TranscriptMetadata,
  TranscriptSource,
  ViewOptions,
} from "./builder/index.ts";
export * as TranscriptBuilder from "./builder/index.ts";
export {
  type BudgetOptions,
  type ContextPlan,
  type Cost,
  costOf,
  cutMiddle,
  type Halves,
  type Omitted,
  type PlanOptions,
  planContext,
  type Strategy,
  type StrategyOptions,
  type Summarizer,
  type Tokenizer,
  type TokenizerModule,
  toModelOrder,
  toTokenizer,
} from "./context/index.ts";
export type { EventLike } from "./events/index.ts";
export type { FoldState, LeftOutReason } from "./fold/index.ts";
export {
  fence,
  inlineCode,
  isTooLongForMarkdown,
  type MarkdownOptions,
  type MessageKind,
  mainArgument,
  messageKind,
  messagesToText,
  messageToMarkdown,
  type Part,
  type ResultPart,
  type TextOptions,
  toParts,
  visibleLine,
  visibleText,
} from "./render/index.ts";
