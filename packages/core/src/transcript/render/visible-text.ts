/**
 * Makes untrusted text visible: characters that would control a terminal, or that a reader would not see, are spelled
 * out.
 */

const PLAIN = /^[\n\t\x20-\x7e]*$/u;

/**
 * Controls, format characters (bidirectional overrides, tags, joiners), everything that programs ignore on display
 * according to Unicode, line and paragraph separators, lone surrogates. Arabic number signs are format characters that
 * have a glyph, and stay.
 */
const HIDDEN =
  /(?![\n\t\u{600}-\u{605}\u{6dd}\u{70f}\u{890}\u{891}\u{8e2}\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const PICTOGRAPH_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
const PICTOGRAPH_AFTER = /^\p{Extended_Pictographic}/u;
/** Letters of scripts that join: Persian, Hindi and others are misspelled without their joiners. */
const JOINING_BEFORE = /[\p{Script=Arab}\p{Script=Deva}\p{Script=Beng}\p{Script=Mlym}\p{Script=Sinh}\p{M}]$/u;
const JOINING_AFTER = /^[\p{Script=Arab}\p{Script=Deva}\p{Script=Beng}\p{Script=Mlym}\p{Script=Sinh}]/u;

/** Keeps line feeds and tabs; `\r\n` is a line feed. ESC becomes `␛`, U+202E becomes `<U+202E>`. */
export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll("\r\n", "\n").replace(HIDDEN, (character, offset: number, whole: string) => {
    return belongsHere(character, offset, whole) ? character : spelledOut(character);
  });
}

/**
 * Does the same as `visibleText` for a page, not for a terminal: it keeps signs for direction and for the joints of
 * words, but spells overrides out. No mark of direction has an effect beyond its line: embeddings are put into
 * isolates, all marks are closed at the end of the line, and a closing mark without an opening one is spelled out.
 */
export function textInIsolates(text: string): string {
  if (PLAIN.test(text)) return text;
  const visible = text
    .replaceAll("\r\n", "\n")
    .replace(HIDDEN, (character, offset: number, whole: string) => {
      return KEPT.test(character) || belongsHere(character, offset, whole)
        ? character
        : spelledOut(character);
    });
  return visible.split("\n").map(closeDirections).join("\n");
}

/**
 * Marks of direction, embeddings, isolates; characters of no width; the soft hyphen. No language needs overrides, which
 * make `gnp.exe` look like `exe.png`.
 */
const KEPT = /^[\u061c\u200b-\u200f\u202a-\u202c\u2060\u2066-\u2069\u00ad\ufeff]$/u;
const DIRECTIONS = /[\u202a-\u202c\u2066-\u2069]/gu;
const [POP, ISOLATE, END_OF_ISOLATE] = ["\u202c", "\u2068", "\u2069"];
const MAX_OPEN = 60;

function closeDirections(line: string): string {
  const open: ("embedding" | "isolate")[] = [];
  const closed = line.replace(DIRECTIONS, (mark) => {
    const isOutermost = open.length === 0;
    if (mark === POP) {
      if (open.at(-1) !== "embedding") return spelledOut(mark);
      open.pop();
      return open.length === 0 ? mark + END_OF_ISOLATE : mark;
    }
    if (mark === END_OF_ISOLATE) {
      const at = open.lastIndexOf("isolate");
      if (at < 0) return spelledOut(mark);
      open.length = at;
      return mark;
    }
    if (open.length >= MAX_OPEN) return spelledOut(mark);
    const isIsolate = mark >= "\u2066";
    open.push(isIsolate ? "isolate" : "embedding");
    return isOutermost && !isIsolate ? ISOLATE + mark : mark;
  });
  const ends = open.map((kind) => (kind === "isolate" ? END_OF_ISOLATE : POP)).reverse();
  return closed + ends.join("") + (open[0] === "embedding" ? END_OF_ISOLATE : "");
}

/** Does the same as `visibleText`, on one line: a line feed becomes `␊`, and a tab becomes `␉`. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll("\n", "␊").replaceAll("\t", "␉");
}

/** True for a joiner inside an emoji or a word, and for a selector that chooses between the emoji and the text form. */
function belongsHere(character: string, offset: number, whole: string): boolean {
  const before = whole.slice(Math.max(0, offset - 2), offset);
  if (character === "\ufe0f" || character === "\ufe0e") return /[\p{Emoji}]$/u.test(before);
  if (character !== "\u200d" && character !== "\u200c") return false;
  const after = whole.slice(offset + 1, offset + 3);
  if (character === "\u200d" && PICTOGRAPH_BEFORE.test(before) && PICTOGRAPH_AFTER.test(after)) return true;
  return JOINING_BEFORE.test(before) && JOINING_AFTER.test(after);
}

function spelledOut(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
