/** JSON mode: the elements of a body as the bytes that were sent, so that numbers are not rounded. */

import { ContinuoError } from "../../model/index.ts";

/** The elements of an outer array, or the body as one value. Errors: `invalid`. */
export function jsonElements(body: Uint8Array): readonly Uint8Array[] {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    value = JSON.parse(text);
  } catch (cause) {
    throw new ContinuoError("invalid", "the body is not JSON", { cause });
  }
  const encoder = new TextEncoder();
  if (!Array.isArray(value)) return [encoder.encode(text.trim())];
  return value.length === 0 ? [] : elementTexts(text.trim()).map((element) => encoder.encode(element));
}

/** The texts between the commas of the outer array of a valid text. */
function elementTexts(text: string): string[] {
  const elements: string[] = [];
  let depth = 0;
  let from = 1;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth++;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x2c: // ,
        if (depth > 1) break;
        elements.push(text.slice(from, at).trim());
        from = at + 1;
        break;
    }
  }
  elements.push(text.slice(from, -1).trim());
  return elements;
}

/** Where the string that begins at `start` ends. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22 || Number.isNaN(code)) return at;
  }
}
