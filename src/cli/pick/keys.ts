/** Names of keys, from the sequences that a terminal sends for them. Pure. */

export type Key =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "key"; readonly name: KeyName };

export type KeyName =
  | "up"
  | "down"
  | "page-up"
  | "page-down"
  | "home"
  | "end"
  | "enter"
  | "escape"
  | "tab"
  | "backspace"
  | "clear"
  | "clear-word"
  | "help"
  | "interrupt";

/** The sequences of xterm, the Linux console and most others, in both cursor modes. */
const SEQUENCES: Readonly<Record<string, KeyName>> = {
  "[A": "up",
  OA: "up",
  "[B": "down",
  OB: "down",
  "[5~": "page-up",
  "[6~": "page-down",
  "[H": "home",
  OH: "home",
  "[1~": "home",
  "[7~": "home",
  "[F": "end",
  OF: "end",
  "[4~": "end",
  "[8~": "end",
  "[Z": "tab",
  OP: "help",
  "[11~": "help",
};

const CONTROLS: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0003": "interrupt",
  "\u0004": "interrupt",
  "\u000e": "down",
  "\u0010": "up",
  "\u0015": "clear",
  "\u0017": "clear-word",
};

const ESC = "\u001b";
/** CSI and SS3 sequences, known or not; a control character; or any other character. */
const TOKEN = new RegExp(`${ESC}(\\[[0-?]*[ -/]*[@-~]|O[@-~])|(\\p{Cc})|(\\P{Cc})`, "gu");
const BEGUN = new RegExp(`${ESC}(\\[[0-?]*[ -/]*|O)?$`, "u");

/** Unknown keys are ignored. An ESC that begins no sequence is the Escape key. */
export function parseKeys(input: string): Key[] {
  const keys: Key[] = [];
  for (const [, sequence, control, text] of input.matchAll(TOKEN)) {
    if (text !== undefined) keys.push({ type: "text", text });
    const name =
      sequence !== undefined ? SEQUENCES[sequence] : control === ESC ? "escape" : CONTROLS[control ?? ""];
    if (name !== undefined) keys.push({ type: "key", name });
  }
  return keys;
}

/** True if the rest of a sequence may still arrive, because a slow connection sends it in pieces. */
export function isBegun(input: string): boolean {
  return BEGUN.test(input);
}
