/** A question for permission: the keys that answer it, its text, and the meaning of an answer. */

import {
  type PermissionDecision,
  type PermissionOption,
  type PermissionRequest,
  present,
} from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { isJson } from "@continuo/files";
import { cutEnd, cutStart, type Paint, type Span, widthOf, wrap } from "../../terminal/index.ts";

/** Each option that lasts beyond this one call has a key; at most nine are offered. */
const NUMBERS = "123456789";

interface Choice {
  readonly key: string;
  readonly option: PermissionOption;
}

/**
 * The options that last longer than this call. Each has its own letter, or a number if several are of the same kind.
 * The keys `y` and `n` are not included.
 */
export function choicesOf({ options }: PermissionRequest): readonly Choice[] {
  const lasting = options.filter(({ kind }) => kind === "allow_always" || kind === "reject_always");
  const isLetter = new Set(lasting.map(({ kind }) => kind)).size === lasting.length;
  if (isLetter) return lasting.map((option) => ({ key: option.kind === "allow_always" ? "a" : "d", option }));
  return lasting.slice(0, NUMBERS.length).map((option, at) => ({ key: NUMBERS[at] ?? "", option }));
}

/** `null` for a key that is not an answer. Escape means no. */
export function answerOf(key: string, request: PermissionRequest): PermissionDecision | null {
  const pressed = key === "\u001b" ? "n" : key.toLowerCase();
  if (pressed === "y")
    return decided(
      request.options.find(({ kind }) => kind === "allow_once"),
      "granted",
    );
  if (pressed === "n")
    return decided(
      request.options.find(({ kind }) => kind === "reject_once"),
      "denied",
    );
  const choice = choicesOf(request).find((one) => one.key === pressed);
  if (choice === undefined) return null;
  return decided(choice.option, choice.option.kind === "allow_always" ? "granted" : "denied");
}

function decided(
  option: PermissionOption | undefined,
  outcome: PermissionDecision["outcome"],
): PermissionDecision {
  return present({ outcome, by: "person", optionId: option?.id });
}

/**
 * A terminal delivers keys that arrive together as one text. An arrow key is one key, and not the letter `A`. A key
 * that is held down, or followed by Enter, still counts as one; `null` for several keys, because words answer nothing.
 */
export function oneKeyIn(text: string): string | null {
  const [key = null, ...more] = keysIn(text.replace(/(?<=.)[\r\n]+$/su, ""));
  return more.every((one) => one === key) ? key : null;
}

/** Each key separately; a key that is more than a letter is a sequence that begins with ESC. */
export function keysIn(text: string): readonly string[] {
  return text.match(KEY) ?? [];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are sequences that begin with ESC.
const KEY = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O[\s\S]|[^\u001b])?|[\s\S]/gu;

export interface QuestionView {
  readonly columns: number;
  readonly paint: Paint;
  readonly leftMs: number;
  /** Lines of the request that were not shown yet. */
  readonly hidden?: number;
  /** The typed reason of a refusal; `null` while nobody types. */
  readonly comment?: string | null;
}

/**
 * The question begins at the left edge, where no text of an agent can be:
 * `? allow Bash? [y]es [n]o · denied in 9:58`. Below it, each option that lasts longer has a line with its own words.
 * While lines are hidden, the person can only refuse.
 */
export function drawQuestion(request: PermissionRequest, view: QuestionView): readonly string[] {
  const { columns, paint, leftMs, hidden = 0, comment = null } = view;
  if (comment !== null) return drawComment(comment, view);
  const keys = [
    ...(hidden > 0 ? [`[v]iew ${hidden} more ${hidden === 1 ? "line" : "lines"} first`] : ["[y]es"]),
    "[n]o",
    ...(request.readsReason === true ? ["[c] no, with a reason"] : []),
  ].join(" ");
  const left = `denied in ${clock(leftMs)}`;
  const about = visibleLine(request.toolName ?? request.title ?? "this");
  const room = Math.max(8, columns - keys.length - left.length - 15);
  const what = withFile(cutEnd(about, room), request.toolInput, room);
  const spans: readonly Span[] = [
    { text: "?", styles: ["bold", "yellow"] },
    { text: " " },
    { text: `allow ${what}?`, styles: ["bold"] },
    { text: ` ${keys} ` },
    { text: `· ${left}`, styles: ["dim"] },
  ];
  const lasting = hidden > 0 ? [] : choicesOf(request).flatMap((choice) => drawChoice(choice, view));
  return [...wrap(spans, columns - 1, paint), ...lasting];
}

/**
 * Adds the path of the changed file, because the top of a long change is no longer on the screen. If there is no room,
 * only the end of the path is shown.
 */
function withFile(name: string, input: unknown, room: number): string {
  const path = isJson(input) ? (input.file_path ?? input.path ?? input.notebook_path) : undefined;
  if (typeof path !== "string" || path === "") return name;
  const left = Math.max(MIN_PATH_COLUMNS, room - widthOf(name) - 1);
  return `${name} ${cutStart(visibleLine(path), left)}`;
}

/** Most file names fit into it. The question takes a second line if there is less room. */
const MIN_PATH_COLUMNS = 20;

/** Shows the option's own words completely, because they say what is granted, and for how long. */
function drawChoice({ key, option }: Choice, { columns, paint }: QuestionView): readonly string[] {
  const word = option.kind === "allow_always" ? "allow" : "refuse";
  const text = `[${key}] ${word}: ${visibleLine(option.name)}`;
  const lines = wrap([{ text, styles: [] }], Math.max(8, columns - 3), paint);
  return lines.map((line) => `  ${line}`);
}

function drawComment(comment: string, { columns, paint }: QuestionView): readonly string[] {
  const spans: readonly Span[] = [
    { text: "?", styles: ["bold", "yellow"] },
    { text: " no, because: ", styles: ["bold"] },
    { text: `${visibleLine(comment)}▏` },
    { text: " Enter sends it, Esc goes back", styles: ["dim"] },
  ];
  return wrap(spans, columns - 1, paint);
}

function clock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
