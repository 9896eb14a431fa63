/**
 * The answers of a model server: a pure function of the request, so that the server keeps no state and an
 * agent may be stopped, resumed or rewound at any point.
 *
 * A script is a list of turns. A turn is found by the newest thing that a person said in the request; how
 * many answers the model has given since then tells which of the turn's answers comes next. Words that no
 * script knows may carry the answer themselves, as markers:
 *
 *   [[text:hello]]  [[thinking:words]]  [[redacted]]
 *   [[tool:Read /a/file]]          plain arguments, divided by |, fill the tool's required properties in order
 *   [[tool:Read {"any":"json"}]]   a JSON object is taken as it is
 *   A [[next]] B                   A's markers are the first answer, B's the one after the tool results
 *   [[error:529 message]] [[usage:180000]] [[max_tokens]] [[slow:50]] [[hang]] [[cut]]
 *
 * Words without markers are echoed; after tool results the last of them is.
 */

import { asList, asObject, asText, type JsonObject } from "./json.ts";

/** One step of an answer. Blocks are sent in the order given. */
export type Step =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "redacted" }
  | {
      readonly type: "tool";
      readonly name: string;
      readonly input: JsonObject | string;
      /** True if the tool is called even if it is not offered, which no real model can do. */
      readonly insists?: true;
    }
  /** An HTTP error in place of the answer. */
  | { readonly type: "error"; readonly status: number; readonly message: string }
  /** The number of input tokens to report; agents compact by themselves if it is large. */
  | { readonly type: "usage"; readonly inputTokens: number }
  | { readonly type: "max_tokens" }
  /** The pause between the pieces of a stream. */
  | { readonly type: "slow"; readonly delayMs: number }
  /** Never answer. */
  | { readonly type: "hang" }
  /** Drop the connection in the middle of the text. */
  | { readonly type: "cut" };

export type Answer = readonly Step[];

export interface ScriptedTurn {
  /** The person's text: all of it, or a part that no other turn has. */
  readonly user: string;
  /**
   * The answers in order. A function builds an answer from what the model has read, such as a command that its input
   * names, or an id from a tool.
   */
  readonly answers: readonly (Answer | ((asked: PromptTurn) => Answer))[];
}

export interface Script {
  readonly turns?: readonly ScriptedTurn[];
  /** The answer to a request for a summary of the conversation (a compaction). */
  readonly summary?: string;
  /** The value of "title" in an answer that must fit a JSON schema. */
  readonly title?: string;
}

export const text = (words: string): Step => ({ type: "text", text: words });
export const thinking = (words: string): Step => ({ type: "thinking", text: words });
export const tool = (name: string, input: JsonObject | string): Step => ({ type: "tool", name, input });

export interface OfferedTool {
  readonly name: string;
  /** JSON schema of the input; `null` if the tool takes plain text. */
  readonly schema: JsonObject | null;
}

/** The parts of a request on which an answer depends, in any protocol. */
export interface PromptTurn {
  /** The newest words of a person; reminders and environment that agents add are not among them. */
  readonly prompt: string;
  /** The number of answers that the model gave since then. */
  readonly round: number;
  /** Texts of the tool results since the last answer. */
  readonly results: readonly string[];
  readonly tools: readonly OfferedTool[];
  /** `summary`: the agent wants the conversation summed up; `title`: named; an object: an answer that fits this schema. */
  readonly wants: "answer" | "summary" | "title" | { readonly schema: JsonObject };
}

const DEFAULT_SUMMARY = "The conversation so far, summed up by the scripted model.";
const DEFAULT_TITLE = "A scripted title";
const ECHO_CHARS = 400;

export function answerTo(asked: PromptTurn, script: Script): Answer {
  if (asked.wants === "summary") return [text(script.summary ?? DEFAULT_SUMMARY)];
  if (asked.wants === "title") return [text(script.title ?? DEFAULT_TITLE)];
  if (asked.wants !== "answer") {
    return [text(JSON.stringify(valueFor(asked.wants.schema, "", script.title ?? DEFAULT_TITLE)))];
  }
  const answers = findTurn(asked.prompt, script)?.answers ?? answersInMarkers(asked.prompt);
  const answer = answers[asked.round] ?? [];
  const wanted = typeof answer === "function" ? answer(asked) : answer;
  const steps = wanted.map((step) => fitToTool(step, asked.tools));
  return steps.some(isContent) ? steps : [...steps, text(echo(asked))];
}

function findTurn(prompt: string, script: Script): ScriptedTurn | undefined {
  const turns = script.turns ?? [];
  return (
    turns.find((turn) => turn.user.trim() === prompt.trim()) ??
    turns.find((turn) => prompt.includes(turn.user.trim()))
  );
}

function isContent(step: Step): boolean {
  return !["usage", "slow", "max_tokens", "cut"].includes(step.type);
}

function echo({ prompt, round, results }: PromptTurn): string {
  const last = results.at(-1);
  return round > 0 && last !== undefined
    ? `done: ${last.slice(0, ECHO_CHARS)}`
    : `echo: ${prompt.slice(0, ECHO_CHARS)}`;
}

/**
 * Returns the step. A call of a tool that is not offered becomes a text that reports this, because a real model makes
 * no such call.
 */
function fitToTool(step: Step, tools: readonly OfferedTool[]): Step {
  if (step.type !== "tool") return step;
  const offered = tools.find((candidate) => candidate.name === step.name);
  if (offered === undefined && step.insists === true) return step;
  if (offered === undefined) {
    return text(`The tool ${step.name} is not offered, only ${tools.map((known) => known.name).join(", ")}.`);
  }
  if (typeof step.input !== "string" || offered.schema === null) return step;
  const required = asList(offered.schema.required).map(asText);
  const names = required.length > 0 ? required : Object.keys(asObject(offered.schema.properties)).slice(0, 1);
  const values = step.input.split("|");
  const last = names.length - 1;
  const input = names.map((name, k) => [name, k === last ? values.slice(k).join("|") : (values[k] ?? "")]);
  return { ...step, input: Object.fromEntries(input) };
}

function answersInMarkers(prompt: string): readonly Answer[] {
  return prompt
    .split("[[next]]")
    .map((part) => markersIn(part).flatMap(({ key, value }) => toStep(key, value)));
}

/** The outermost markers; brackets may nest in their values. */
function markersIn(words: string): readonly { readonly key: string; readonly value: string }[] {
  const found: { key: string; value: string }[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < words.length - 1; at++) {
    const pair = words.slice(at, at + 2);
    if (pair === "[[") {
      if (depth++ === 0) start = at + 2;
      at++;
    } else if (pair === "]]" && depth > 0) {
      if (--depth === 0) {
        const [key = "", ...rest] = words.slice(start, at).split(":");
        found.push({ key: key.trim(), value: rest.join(":") });
      }
      at++;
    }
  }
  return found;
}

function toStep(key: string, value: string): readonly Step[] {
  switch (key) {
    case "text":
      return [text(value)];
    case "thinking":
      return [thinking(value)];
    case "tool": {
      const [, name = "", rest = ""] = /^\s*(\S+)\s*([\s\S]*)$/.exec(value) ?? [];
      return [tool(name, rest.startsWith("{") ? asObject(JSON.parse(rest)) : rest)];
    }
    case "error": {
      const [, status = "500", message = ""] = /^\s*(\d+)\s*([\s\S]*)$/.exec(value) ?? [];
      return [{ type: "error", status: Number(status), message: message || "a scripted error" }];
    }
    case "usage":
      return [{ type: "usage", inputTokens: Number(value) }];
    case "slow":
      return [{ type: "slow", delayMs: Number(value) }];
    case "redacted":
    case "max_tokens":
    case "hang":
    case "cut":
      return [{ type: key }];
    default:
      return [];
  }
}

/** The smallest value that fits a JSON schema. */
function valueFor(schema: JsonObject, key: string, title: string): unknown {
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const choices = asList(schema.anyOf ?? schema.oneOf);
  if (choices.length > 0) return valueFor(asObject(choices[0]), key, title);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type ?? (schema.properties === undefined ? "string" : "object")) {
    case "object":
    case "OBJECT": {
      const properties = Object.entries(asObject(schema.properties));
      return Object.fromEntries(
        properties.map(([name, part]) => [name, valueFor(asObject(part), name, title)]),
      );
    }
    case "array":
    case "ARRAY":
      return [];
    case "boolean":
    case "BOOLEAN":
      return false;
    case "number":
    case "integer":
    case "NUMBER":
    case "INTEGER":
      return schema.minimum ?? 0;
    case "null":
      return null;
    default:
      return /title|name|summary/i.test(key) ? title : "scripted";
  }
}
