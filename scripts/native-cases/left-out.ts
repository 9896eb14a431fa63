/**
 * Replacements in recorded sessions: the agents' own prompts, catalogues and boilerplate, and the paths of the
 * machine. Lines keep their places and stay parseable; a removed text becomes `LEFT_OUT`.
 */

import { isBase64 } from "@continuo/core/model";
import { asObject, asObjects, asText, type JsonObject } from "../../test/model-servers/index.ts";

export const LEFT_OUT = "[left out by make-fixtures]";

/** The home in which the recorded sessions claim to be. */
export const STABLE_HOME = "/home/dev";

/** Boilerplate by the text that it begins with, wherever it stands in a session or a request. */
const BOILERPLATE: readonly (readonly [RegExp, string])[] = [
  [
    /^<system-reminder>(?![^\n]*\n[^\n]* hook additional context: )[\s\S]*$/,
    `<system-reminder>\n${LEFT_OUT}\n</system-reminder>`,
  ],
  [/^<local-command-caveat>[\s\S]*$/, `<local-command-caveat>${LEFT_OUT}</local-command-caveat>`],
  [
    /^This session is being continued from a previous conversation[\s\S]*?\nSummary:\n([^\n]*)[\s\S]*$/,
    `This session is being continued from a previous conversation. ${LEFT_OUT}\n\nSummary:\n$1`,
  ],
  [
    /^Async agent launched successfully[\s\S]*?(agentId: \w+)[\s\S]*$/,
    `Async agent launched. ${LEFT_OUT}\n$1`,
  ],
  [/^<permissions instructions>[\s\S]*$/, `<permissions instructions>${LEFT_OUT}</permissions instructions>`],
  [/^<session_context>[\s\S]*$/, `<session_context>\n${LEFT_OUT}\n</session_context>`],
  // The description of a tool of Gemini CLI, if a call has none.
  [/^Reads and returns the content of a specified file\.[\s\S]*$/, LEFT_OUT],
  [/^<collaboration_mode>[\s\S]*$/, `<collaboration_mode>${LEFT_OUT}</collaboration_mode>`],
  // Codex describes modes and skills to its model in these texts.
  [/^# (?:Plan Mode \(|Collaboration Mode: )[\s\S]*$/, LEFT_OUT],
  [/^# Review guidelines:[\s\S]*$/, LEFT_OUT],
  [
    /^\s*(?:<skills_instructions>|## Skills\n)[\s\S]*$/,
    `<skills_instructions>${LEFT_OUT}</skills_instructions>`,
  ],
  [/^<tools>[\s\S]*$/, `<tools>${LEFT_OUT}</tools>`],
  [/^<turn_aborted>[\s\S]*$/, `<turn_aborted>\n${LEFT_OUT}\n</turn_aborted>`],
  [/^The user explored a different[\s\S]*?:\n\n/, `${LEFT_OUT}\n\n`],
  // The machine that the fixtures were made on.
  [/^Linux \d\S+$/, "Linux"],
  [/<note>[\s\S]*?<\/note>/g, `<note>${LEFT_OUT}</note>`],
];

/** Attachments of Claude Code that hold its own prompts and catalogues; the conversation does not need them. */
const CATALOGUES = new Set([
  "prompt_snapshot",
  "skill_listing",
  "agent_listing_delta",
  "deferred_tools_delta",
  "deferred_tools_record",
  "session_context",
  "remote_session_change",
  "auto_mode",
]);

/** A longer string that no rule has shortened could be an agent's own prompt. */
const LONGEST_TEXT = 700;

/** Returns a line of a session file without the agents' own prompts; the line is equal if it has none. */
export function withoutPrompts(line: JsonObject): JsonObject {
  return asObject(eachText(withoutCatalogues(line), withoutBoilerplate));
}

/** Any plain value; for the items of a request. */
export function withoutBoilerplateIn(value: unknown): unknown {
  return eachText(value, withoutBoilerplate);
}

/** Returns texts that are too long for a conversation; a fixture with such a text must not be written. */
export function promptsLeftIn(value: unknown): readonly string[] {
  const found: string[] = [];
  eachText(value, (text) => {
    if (text.length > LONGEST_TEXT && !text.startsWith("data:image/") && !isBase64(text)) found.push(text);
    return text;
  });
  return found;
}

function withoutBoilerplate(text: string): string {
  return BOILERPLATE.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);
}

function withoutCatalogues(line: JsonObject): JsonObject {
  const type = asText(line.type);
  if (line.systemMessage !== undefined) {
    return { ...line, systemMessage: withoutTools(asObject(line.systemMessage)) };
  }
  if (type === "message") return { ...line, message: withoutTools(asObject(line.message)) };
  if (type.startsWith("api-request")) {
    const { sessionId, timestamp, version } = line;
    return { type, sessionId, timestamp, version, [type.slice(4)]: LEFT_OUT };
  }
  if (type === "system.message" || type.startsWith("model.")) return withoutCopilotPrompt(line);
  if (type !== "attachment") return line;
  const attachment = asObject(line.attachment);
  return CATALOGUES.has(asText(attachment.type))
    ? { ...line, attachment: { type: attachment.type, content: LEFT_OUT } }
    : line;
}

/** Copilot stores its own prompt, and after a compaction the calls of the model with their whole content. */
function withoutCopilotPrompt({ data, ...line }: JsonObject): JsonObject {
  const { role, kind } = asObject(data);
  return { ...line, data: kind === undefined ? { role, content: LEFT_OUT } : { kind, content: LEFT_OUT } };
}

/** pi keeps the descriptions of its tools in system messages; their names stay. */
function withoutTools(message: JsonObject): JsonObject {
  if (!Array.isArray(message.toolsAdded)) return message;
  const toolsAdded = asObjects(message.toolsAdded).map(({ name }) => ({ name, description: LEFT_OUT }));
  return { ...message, toolsAdded };
}

function eachText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((part) => eachText(part, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, eachText(part, change)]));
}
