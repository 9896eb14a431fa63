/**
 * Writes Claude Code's sessions: a message as one line after the active leaf (2.1.330 takes all blocks of an
 * answer in one line), and a `last-prompt` that names the line as the leaf.
 *
 * Thinking that Anthropic did not sign would be refused by its API: a `thinking_stripped` attachment after it keeps all
 * thinking before it in the file, and out of requests. When Claude Code loads a session, it links the results of an
 * answer directly to the answer (2.1.332), so that only an attachment after the last result stays in the conversation:
 * therefore each result is followed by an attachment.
 */

import { join } from "node:path";
import { type Block, ContinuoError, textOf, type Usage } from "@continuo/core/model";
import { canonicalFolder, idInPath, isJson, type Json, type Places, textField } from "@continuo/files";

import {
  type Addition,
  type NativeWriter,
  type NewMessage,
  type NewSession,
  openLineSink,
  type WriterHistory,
} from "../writing/index.ts";
import { bringBackLines } from "./bring-back.ts";
import { bringSubagent } from "./bring-subagent.ts";
import { claudeFolders, projectNameOf } from "./places.ts";
import { refuseIn, toNativeContent, toNativeResult } from "./to-blocks.ts";

/** The version whose format is written if the session does not name one. */
const VERSION = "2.1.330";

export interface ClaudeTip {
  readonly sessionId: string;
  readonly cwd: string | null;
  readonly version: string;
  readonly gitBranch: string | null;
  /** The line that the next one follows. */
  readonly leaf: string | null;
  /** The line of the last answer: its results name it. */
  readonly answer: string | null;
  readonly model: string | null;
  readonly lastPrompt: string;
  /** The message id of the line before, if that is an answer with only thinking. */
  readonly thought: string | null;
  /** True if thinking of the newest answer must not be sent; the head of this file explains why. */
  readonly isStripped: boolean;
}

export const claudeWriter: NativeWriter<ClaudeTip> = {
  agent: "claude",
  newSessionId: (makers) => makers.uuid4(),
  placeOf: (session, places) =>
    join(projectFolder(session.cwd, places), `${idInPath(session.sessionId)}.jsonl`),
  locationOf: (sessionFile) => sessionFile,
  openSink: async (sessionFile) => openLineSink(sessionFile),
  async slugOf(opened) {
    let slug: string | null = null;
    for await (const { value } of opened.entries())
      slug = isJson(value) ? (textField(value, "slug") ?? slug) : slug;
    return slug;
  },
  openTip: async (before) => tipOf(before),
  begin: (session) => ({ tip: beginningOf(session), records: titleOf(session) }),
  bringBack: (records, session) => [...bringBackLines(records, session), ...titleOf(session)],
  childFiles: bringSubagent,
  rename: (_tip, { title, sessionId }) => ({ records: [titleRecord(title, sessionId)] }),
  add(tip, message, makers): Addition<ClaudeTip> {
    const id = makers.uuid4();
    const timestamp = message.timestamp ?? new Date(makers.now()).toISOString();
    // Claude Code drops thinking that is the only block of its message id (2.1.330).
    const messageId = (message.role === "assistant" ? tip.thought : null) ?? `msg_${makers.hex(24)}`;
    const records: Json[] = [{ ...linkOf(tip, id, timestamp), ...bodyOf(tip, message, messageId) }];
    let leaf = id;
    const isStripped = message.role === "tool" ? tip.isStripped : message.content.some(isForeignThinking);
    if (isStripped) {
      leaf = makers.uuid4();
      const attachment = { type: "thinking_stripped", scope: "all" };
      records.push({ ...linkOf({ ...tip, leaf: id }, leaf, timestamp), type: "attachment", attachment });
    }
    const isAnswer = message.role === "assistant";
    const lastPrompt = message.role === "user" ? promptOf(message.content) : tip.lastPrompt;
    records.push({ type: "last-prompt", lastPrompt, leafUuid: leaf, sessionId: tip.sessionId });
    const answer = isAnswer ? id : tip.answer;
    const model = isAnswer ? (message.model ?? tip.model) : tip.model;
    const isThought = isAnswer && message.content.every((block) => block.type === "thinking");
    const thought = isThought ? messageId : null;
    return { tip: { ...tip, leaf, answer, model, lastPrompt, thought, isStripped }, records, id };
  },
};

/** Stores provenance in the record of the title, because the format has no other place for it. */
function titleOf({ title, sessionId, provenance }: NewSession): readonly Json[] {
  if (title === null) return [];
  const from = provenance === undefined ? {} : { continuo: provenance };
  return [{ ...titleRecord(title, sessionId), ...from }];
}

export function titleRecord(title: string, sessionId: string): Json {
  return { type: "custom-title", customTitle: title, sessionId };
}

function projectFolder(cwd: string, places: Places): string {
  const { projects, forcedProject } = claudeFolders(places);
  return join(projects, forcedProject ?? projectNameOf(canonicalFolder(cwd)));
}

function beginningOf({ sessionId, cwd, gitBranch }: NewSession): ClaudeTip {
  return {
    sessionId,
    cwd,
    version: VERSION,
    gitBranch,
    leaf: null,
    answer: null,
    model: null,
    lastPrompt: "",
    thought: null,
    isStripped: false,
  };
}

/** Errors: `unsupported`. */
function tipOf({ opened, lastAnswer, lastPrompt }: WriterHistory): ClaudeTip {
  const { sessionId, cwd, gitBranch, agentVersions } = opened.details;
  const leaf = opened.leaves.find((each) => each.active)?.id ?? null;
  if (leaf?.startsWith("line:")) {
    throw new ContinuoError(
      "unsupported",
      `cannot append to session ${sessionId}: its last line has no uuid`,
      {
        hint: "Repair the session first: Claude Code itself would continue with that line only.",
      },
    );
  }
  return {
    sessionId,
    cwd,
    version: agentVersions.at(-1) ?? VERSION,
    gitBranch,
    leaf,
    answer: lastAnswer === null ? null : lastLineOf(lastAnswer.metadata.claude, lastAnswer.id),
    model: lastAnswer?.model ?? null,
    lastPrompt: lastPrompt === null ? "" : promptOf(lastPrompt.content),
    thought: null,
    isStripped: lastAnswer?.content.some(isForeignThinking) === true,
  };
}

function lastLineOf(flags: unknown, id: string): string {
  const uuids = isJson(flags) && Array.isArray(flags.uuids) ? flags.uuids : [];
  const last: unknown = uuids.at(-1);
  return typeof last === "string" ? last : id;
}

function linkOf(tip: ClaudeTip, uuid: string, timestamp: string): Json {
  return {
    parentUuid: tip.leaf,
    isSidechain: false,
    userType: "external",
    entrypoint: "cli",
    ...(tip.cwd === null ? {} : { cwd: tip.cwd }),
    sessionId: tip.sessionId,
    version: tip.version,
    gitBranch: tip.gitBranch ?? "",
    uuid,
    timestamp,
  };
}

function bodyOf(tip: ClaudeTip, message: NewMessage, messageId: string): Json {
  if (message.role === "assistant") {
    return { type: "assistant", message: answerOf(tip, message, messageId) };
  }
  const [first] = message.content;
  if (message.role === "user" || first?.type !== "tool_result") {
    return {
      type: "user",
      message: { role: "user", content: toNativeContent(message.content, refuseIn("a prompt")) },
    };
  }
  return {
    type: "user",
    message: { role: "user", content: [toNativeResult(first)] },
    ...(tip.answer === null ? {} : { sourceToolAssistantUUID: tip.answer }),
    ...(first.details === undefined ? {} : { toolUseResult: first.details }),
  };
}

function answerOf(tip: ClaudeTip, message: NewMessage, id: string): Json {
  const calls = message.content.some((block) => block.type === "tool_call");
  return {
    id,
    type: "message",
    role: "assistant",
    model: modelOf(message.model ?? tip.model),
    content: toNativeContent(message.content, refuseIn("an answer")),
    stop_reason: message.stopReason ?? (calls ? "tool_use" : "end_turn"),
    stop_sequence: null,
    ...(message.usage === undefined ? {} : { usage: toNativeUsage(message.usage) }),
  };
}

/** Claude Code reports that it cannot restore the model of another vendor; it ignores the name `<synthetic>`. */
function modelOf(model: string | null): string {
  return model?.startsWith("claude-") === true ? model : "<synthetic>";
}

function toNativeUsage(usage: Usage): Json {
  return {
    input_tokens: usage.inputTokens,
    ...(usage.cacheWriteTokens === undefined ? {} : { cache_creation_input_tokens: usage.cacheWriteTokens }),
    ...(usage.cacheReadTokens === undefined ? {} : { cache_read_input_tokens: usage.cacheReadTokens }),
    ...cacheCreationOf(usage),
    output_tokens: usage.outputTokens,
    ...(usage.reasoningTokens === undefined
      ? {}
      : { output_tokens_details: { thinking_tokens: usage.reasoningTokens } }),
  };
}

/** Claude Code writes both parts of the cached tokens (2.1.330). */
function cacheCreationOf({ cacheWriteTokens = 0, cacheWriteHourTokens: hour }: Usage): Json {
  if (hour === undefined) return {};
  const rest = Math.max(0, cacheWriteTokens - hour);
  return { cache_creation: { ephemeral_1h_input_tokens: hour, ephemeral_5m_input_tokens: rest } };
}

function isForeignThinking(block: Block): boolean {
  if (block.type !== "thinking") return false;
  return block.signedBy !== "anthropic" || (!block.signature && !block.data);
}

function promptOf(content: readonly Block[]): string {
  return textOf(content);
}
