/** Colours and weights, as the sixteen colours that every theme knows. */

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof CODES;

/** Text is one line, because a pager forgets a colour at the end of a line. */
export type Paint = (text: string, ...styles: readonly Style[]) => string;

export function paintFor(screen: { readonly hasColours: boolean }): Paint {
  return screen.hasColours ? coloured : plain;
}

function plain(text: string): string {
  return text;
}

function coloured(text: string, ...styles: readonly Style[]): string {
  if (text === "") return text;
  let painted = text;
  for (const style of styles.toReversed()) {
    const [on, off] = CODES[style];
    painted = `\u001b[${on}m${painted}\u001b[${off}m`;
  }
  return painted;
}
