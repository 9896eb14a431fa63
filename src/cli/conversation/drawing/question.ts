/** A question for permission: which keys answer it, what is asked, and what an answer means. */

import type { PermissionDecision, PermissionOption, PermissionRequest } from "../../../model/index.ts";
import { visibleLine } from "../../../transcript/index.ts";
import { cutEnd, type Paint, type Span, wrap } from "../../terminal/index.ts";

export type Answer = "y" | "a" | "n" | "d";

type Kind = PermissionOption["kind"];

const MEANINGS: Readonly<Record<Answer, { readonly kind: Kind; readonly word: string }>> = {
  y: { kind: "allow_once", word: "yes" },
  a: { kind: "allow_always", word: "always" },
  n: { kind: "reject_once", word: "no" },
  d: { kind: "reject_always", word: "never" },
};

const ORDER: readonly Answer[] = ["y", "a", "n", "d"];

/** Yes and no always; always and never where the agent offers them. */
export function questionKeys({ options }: PermissionRequest): readonly Answer[] {
  return ORDER.filter(
    (key) => key === "y" || key === "n" || options.some(({ kind }) => kind === MEANINGS[key].kind),
  );
}

/** `null` for a key that answers nothing. Escape is no. */
export function answerOf(key: string, request: PermissionRequest): PermissionDecision | null {
  const answer = key === "\u001b" ? "n" : questionKeys(request).find((one) => one === key.toLowerCase());
  if (answer === undefined) return null;
  const { kind } = MEANINGS[answer];
  const option = request.options.find((one) => one.kind === kind);
  return {
    outcome: answer === "y" || answer === "a" ? "granted" : "denied",
    by: "person",
    ...(option === undefined ? {} : { optionId: option.id }),
  };
}

/**
 * A terminal gives keys that come together as one text. An arrow key is one key, and no `A`. One that is held down, or
 * followed by Enter, is still one; `null` for several: words, however they got there, answer nothing.
 */
export function oneKeyIn(text: string): string | null {
  const [key = null, ...more] = text.replace(/(?<=.)[\r\n]+$/su, "").match(KEY) ?? [];
  return more.every((one) => one === key) ? key : null;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are sequences that begin with ESC.
const KEY = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O[\s\S]|[^\u001b])?|[\s\S]/gu;

/**
 * At the edge, where nothing of an agent stands: `? allow Bash? [y]es [a]lways [n]o · denied in 9:58`. Lines that fit:
 * one where there is room.
 */
export function drawQuestion(
  request: PermissionRequest,
  { columns, paint, leftMs }: { readonly columns: number; readonly paint: Paint; readonly leftMs: number },
): readonly string[] {
  const keys = questionKeys(request).map((key) => keyWord(key));
  const left = `denied in ${clock(leftMs)}`;
  const about = visibleLine(request.toolName ?? request.title ?? "this");
  const room = columns - keys.join(" ").length - left.length - 15;
  const what = cutEnd(about, Math.max(8, room));
  const spans: readonly Span[] = [
    { text: "?", styles: ["bold", "yellow"] },
    { text: " " },
    { text: `allow ${what}?`, styles: ["bold"] },
    { text: ` ${keys.join(" ")} ` },
    { text: `· ${left}`, styles: ["dim"] },
  ];
  return wrap(spans, columns - 1, paint);
}

function clock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** `[y]es`; `[d] never` where the key is none of the word's. */
function keyWord(key: Answer): string {
  const { word } = MEANINGS[key];
  return word.startsWith(key) ? `[${key}]${word.slice(1)}` : `[${key}] ${word}`;
}
