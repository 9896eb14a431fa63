/**
 * Transcripts (messages folded from events), contexts (messages cut to a budget), and messages rendered for readers.
 *
 * Promises: pure. `html/` is imported separately, because its Markdown parser slows the start.
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
  type AttemptRequest,
  type BudgetOptions,
  type ContextPlan,
  type Cost,
  costOf,
  cutMiddle,
  type EarlierAttempt,
  earlierAttempt,
  estimateTokens,
  type ModelTurns,
  type OmittedMessages,
  type PlanOptions,
  PROMPT_BEFORE_ANSWER,
  planContext,
  type Strategy,
  type StrategyOptions,
  type Summarizer,
  type Tokenizer,
  type TokenizerModule,
  toModelOrder,
  toModelTurns,
  toTokenizer,
  type UnpairedCounts,
  withoutReason,
  withoutReplaced,
} from "./context/index.ts";
export type { EventLike } from "./events/index.ts";
export { type FoldState, type LeftOutReason, toUsage } from "./fold/index.ts";
export {
  type AnthropicMessages,
  type OpenAIMessages,
  type ShareGptConversation,
  toAnthropicMessages,
  toOpenAIMessages,
  toShareGpt,
} from "./providers/index.ts";
export {
  type ChangedFile,
  changesOf,
  commonLines,
  contentOfBlock,
  createTurnStarts,
  type DiffLine,
  type FileText,
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
  spokenText,
  type TextEdit,
  type TextOptions,
  textEditsOf,
  textInIsolates,
  toParts,
  visibleLine,
  visibleText,
} from "./render/index.ts";
export { type MaskedValue, maskSecrets, type SecretCounts, sumSecrets } from "./secrets/index.ts";
