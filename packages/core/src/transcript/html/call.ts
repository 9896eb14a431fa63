/**
 * Renders a call and its result. The form depends on the kind of the call: a command with its output, an edit as a
 * difference, a plan as a list, any other call as its arguments and its result.
 */

import type { ToolCallBlock, ToolResultBlock, ToolStatus } from "../../model/index.ts";
import { changesOf, mainArgument, visibleLine, visibleText } from "../render/index.ts";
import { changedLines, filesToHtml, linesOfFile, type NumberedFile, numbered } from "./diff.ts";
import { escapePath, escapeVisible } from "./escape.ts";
import { type ImageSource, imageToHtml, isDisplayable } from "./image.ts";
import { languageAttribute } from "./language.ts";

export type CallKind = "command" | "edit" | "plan" | "agent" | "web" | "search" | "read" | "other";

export interface CallHtml {
  readonly kind: CallKind;
  /** Visible text, one line. */
  readonly name: string;
  /** Visible text, one line: the subject of the call, such as a path. Empty if it is not known. */
  readonly argument: string;
  /** `running` while it has no result. */
  readonly status: ToolStatus | "running";
  /** Visible text: the result in a few words. Empty if there is nothing to report. */
  readonly outcome: string;
  /** HTML, made when it is needed. */
  readonly body: () => string;
  /** True if a reader should see the body without opening it. */
  readonly isOpen: boolean;
}

/** An edit with more changed lines than this is shown closed. */
const MAX_OPEN_LINES = 60;
const MAX_ARGUMENT_CHARS = 300;

export function callToHtml(
  block: ToolCallBlock,
  result: ToolResultBlock | null,
  images: ImageSource = "inline",
): CallHtml {
  const isRaw = block.rawArgs !== undefined && Object.keys(block.args).length === 0;
  const files = numbered(changesOf(isRaw ? block.rawArgs : block.args, result?.content), result?.details);
  const changed = files.reduce((sum, { lines }) => sum + lines.length, 0);
  const kind = changed > 0 ? "edit" : kindOf(block);
  const status = result === null ? "running" : (result.status ?? (result.isError ? "error" : "ok"));
  const text = result === null ? "" : textOfResult(result);
  const failed = status !== "ok" && status !== "running" ? outputToHtml(text) : "";
  return {
    kind,
    status,
    name: visibleLine(block.name),
    argument: argumentOf(block, isRaw, { kind, path: files[0]?.path ?? null }),
    outcome: outcomeOf(kind, block, files, text),
    isOpen: kind === "plan" || (kind === "edit" && changed <= MAX_OPEN_LINES),
    body: () => {
      switch (kind) {
        case "edit":
          // The line of the call names the file if there is only one.
          return (files.length === 1 ? files.map(linesOfFile).join("") : filesToHtml(files)) + failed;
        case "plan":
          return planToHtml(block) + failed;
        case "command":
          return commandToHtml(block) + outputToHtml(text) + imagesOf(result, images);
        case "read":
          return `${outputToHtml(text, String(mainArgument(block.args) ?? ""))}${imagesOf(result, images)}`;
        default:
          return inputToHtml(block, isRaw) + outputToHtml(text) + imagesOf(result, images);
      }
    },
  };
}

/** Returns the changes that a request would make in files; empty if they are unknown. */
export function changesToHtml(input: unknown, content?: unknown): string {
  return filesToHtml(numbered(changesOf(input, content), null));
}

/** Renders a result whose call is not known. */
export function resultToHtml(result: ToolResultBlock, images: ImageSource = "inline"): string {
  return outputToHtml(textOfResult(result)) + imagesOf(result, images);
}

/** The kind of a call, by the names of the agents' tools. `other` is an unknown tool, whose whole call is shown. */
function kindOf({ name, args, childSessionId }: ToolCallBlock): CallKind {
  if (childSessionId !== undefined || /^(?:task|agent|spawn_agent|subagent)$/iu.test(name)) return "agent";
  if (planOf(args).length > 0) return "plan";
  if (commandOf(args) !== null) return "command";
  if (/web|fetch|browse/iu.test(name) || typeof args.url === "string") return "web";
  if (/grep|glob|search|find|^ls$|list/iu.test(name) || typeof args.pattern === "string") return "search";
  if (/read|view|cat/iu.test(name)) return "read";
  return "other";
}

function commandOf({ command, cmd, script }: ToolCallBlock["args"]): string | null {
  const given = command ?? cmd ?? script;
  if (typeof given === "string") return given;
  if (!Array.isArray(given) || !given.every((word) => typeof word === "string")) return null;
  const [shell = "", option = "", line] = given as string[];
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/u.test(shell) && /^-[a-z]*c$/u.test(option);
  return isShell && line !== undefined && given.length === 3 ? line : given.join(" ");
}

function commandToHtml({ args }: ToolCallBlock): string {
  return `<pre class="command" data-language="bash">${escapeVisible(visibleText(commandOf(args) ?? ""))}</pre>`;
}

interface PlanItem {
  readonly text: string;
  readonly state: "done" | "now" | "open";
}

/** To-do lists: `todos` of Claude Code, Gemini CLI and opencode, `plan` of Codex. */
function planOf({ todos, plan }: ToolCallBlock["args"]): PlanItem[] {
  const steps = Array.isArray(todos) ? todos : Array.isArray(plan) ? plan : [];
  return steps.flatMap((step: unknown): PlanItem[] => {
    const { content, step: text, description, status } = (step ?? {}) as Readonly<Record<string, unknown>>;
    const said = content ?? text ?? description;
    if (typeof said !== "string") return [];
    const state = status === "completed" ? "done" : status === "in_progress" ? "now" : "open";
    return [{ text: visibleLine(said), state }];
  });
}

const MARKS: Readonly<Record<PlanItem["state"], string>> = {
  done: "done",
  now: "in progress",
  open: "to do",
};

function planToHtml({ args }: ToolCallBlock): string {
  const steps = planOf(args).map(
    ({ text, state }) =>
      `<li class="${state}"><span class="hidden-text">${MARKS[state]}: </span><bdi>${escapeVisible(text)}</bdi></li>`,
  );
  return `<ul class="plan">${steps.join("")}</ul>`;
}

function inputToHtml({ args, rawArgs }: ToolCallBlock, isRaw: boolean): string {
  if (isRaw) return `<pre class="input">${escapeVisible(visibleText(rawArgs ?? ""))}</pre>`;
  const fields = Object.entries(args).map(([name, value]) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
    const label = escapeVisible(visibleLine(name));
    return text.length <= MAX_ARGUMENT_CHARS && !text.includes("\n")
      ? `<div><dt>${label}</dt><dd><bdi>${escapePath(visibleText(text))}</bdi></dd></div>`
      : `<div><dt>${label}</dt><dd><pre class="input">${escapeVisible(visibleText(text))}</pre></dd></div>`;
  });
  return fields.length === 0 ? "" : `<dl class="fields">${fields.join("")}</dl>`;
}

function argumentOf(
  { args, rawArgs }: ToolCallBlock,
  isRaw: boolean,
  { kind, path }: { readonly kind: CallKind; readonly path: string | null },
): string {
  if (kind === "plan") return "";
  const pattern = kind === "search" && typeof args.pattern === "string" ? args.pattern : null;
  const text = path ?? pattern ?? (isRaw ? (rawArgs ?? "") : (commandOf(args) ?? mainArgument(args) ?? ""));
  return visibleLine(text.trim().slice(0, MAX_ARGUMENT_CHARS));
}

function textOfResult({ content }: ToolResultBlock): string {
  const texts = content.flatMap((block) => {
    if (block.type === "text" || block.type === "thinking") return [block.text];
    if (block.type === "file") return [block.text ?? `[file ${block.name ?? ""} ${block.mimeType}]`];
    if (block.type === "image") return isDisplayable(block) ? [] : [`[image ${block.mimeType}]`];
    return [JSON.stringify(block.type === "unknown" ? block.raw : block, null, 2) ?? ""];
  });
  return visibleText(texts.join("\n")).replace(/\n+$/u, "");
}

function outputToHtml(text: string, path: string | null = null): string {
  if (text === "") return "";
  return `<pre class="output"${languageAttribute(path)}>${escapeVisible(text)}</pre>`;
}

function imagesOf(result: ToolResultBlock | null, source: ImageSource): string {
  const images = result?.content.filter((block) => block.type === "image") ?? [];
  return images.map((image) => imageToHtml(image, source)).join("");
}

function outcomeOf(
  kind: CallKind,
  block: ToolCallBlock,
  files: readonly NumberedFile[],
  text: string,
): string {
  if (kind === "edit") return changedLines(files.flatMap(({ lines }) => lines));
  if (kind !== "plan") return sizeOf(text);
  const steps = planOf(block.args);
  return `${steps.filter(({ state }) => state === "done").length} of ${steps.length} done`;
}

function sizeOf(text: string): string {
  if (text === "") return "";
  const lines = text.split("\n").length;
  if (lines > 1) return `${lines} lines`;
  return text.length <= 60 ? text : "1 line";
}
