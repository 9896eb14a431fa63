/**
 * The words for a conversation: agents, messages and their blocks, sessions, problems.
 *
 * Promises: pure; a block carries what the agent's record said, even if Continuo does not know it.
 * Does not know: events, the store, any port.
 */

export { AGENT_LABELS, AGENT_NAMES, type AgentName, isAgentName, nameAgent } from "./agent.ts";
export type { BlamedLine, FileBlame, LineOrigin } from "./blame.ts";
export {
  attachedText,
  type Block,
  contentBlocks,
  type DataUrl,
  type FileBlock,
  type ImageBlock,
  isBase64,
  type Message,
  type MessageMetadata,
  namedTextOf,
  nameOfBlock,
  type Origin,
  parseDataUrl,
  type RecordPlace,
  type Role,
  type TextBlock,
  type ThinkingBlock,
  type ToolCallBlock,
  type ToolDefinition,
  type ToolResultBlock,
  type ToolStatus,
  textOf,
  typedIn,
  typedTextOf,
  type Usage,
  withNamedFiles,
} from "./message.ts";
export {
  adviceFor,
  PROBLEM_KINDS,
  type Problem,
  type ProblemCode,
  type Severity,
  severityOf,
} from "./problem.ts";
export {
  type Entry,
  type Leaf,
  type NativeRef,
  type ReadableRef,
  type SessionDetails,
  type SessionInfo,
  type SessionRow,
  type SubagentInfo,
  toSessionRow,
} from "./session.ts";
export {
  type CommitFact,
  type CostFact,
  END_WORDS,
  type EndFact,
  type FactPlace,
  type FileFact,
  type SessionFacts,
  type TestFact,
} from "./session-facts.ts";
export { addUsage } from "./usage.ts";
