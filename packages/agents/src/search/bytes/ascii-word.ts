/** Finds an ASCII word in bytes in any letter case, by Horspool's algorithm: most bytes are skipped. Pure. */

export interface AsciiWord {
  /** Returns the next place of the word at or after a place, also inside of longer words, or -1. */
  find(bytes: Uint8Array, from: number): number;
}

/** @param word of letters in lower case and digits */
export function createAsciiWord(word: string): AsciiWord {
  const length = word.length;
  const lower = Uint8Array.from(word, (letter) => letter.charCodeAt(0));
  const upper = Uint8Array.from(word.toUpperCase(), (letter) => letter.charCodeAt(0));
  const skips = new Uint8Array(256).fill(Math.min(length, 255));
  for (let at = 0; at < length - 1; at++) {
    skips[lower[at] ?? 0] = Math.min(length - 1 - at, 255);
    skips[upper[at] ?? 0] = Math.min(length - 1 - at, 255);
  }
  const [lastLower, lastUpper] = [lower[length - 1], upper[length - 1]];
  return {
    find(bytes, from) {
      const size = bytes.length;
      for (let end = from + length - 1; end < size; ) {
        const last = bytes[end] as number;
        if (last === lastLower || last === lastUpper) {
          let at = length - 2;
          for (let place = end - 1; at >= 0; at--, place--) {
            const byte = bytes[place];
            if (byte !== lower[at] && byte !== upper[at]) break;
          }
          if (at < 0) return end - length + 1;
        }
        end += skips[last] as number;
      }
      return -1;
    },
  };
}
