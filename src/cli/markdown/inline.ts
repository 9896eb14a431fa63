/** Inline tokens as spans. */

import type { MarkedToken, Token } from "marked";
import type { Span, Style } from "../terminal/index.ts";

export function toSpans(tokens: readonly Token[], styles: readonly Style[] = []): Span[] {
  return (tokens as readonly MarkedToken[]).flatMap((token) => toSpansOfOne(token, styles));
}

function toSpansOfOne(token: MarkedToken, styles: readonly Style[]): Span[] {
  switch (token.type) {
    case "strong":
      return toSpans(token.tokens, [...styles, "bold"]);
    case "em":
      return toSpans(token.tokens, [...styles, "italic"]);
    case "del":
      return toSpans(token.tokens, [...styles, "strike"]);
    case "codespan":
      return [{ text: token.text, styles: [...styles, "cyan"] }];
    case "br":
      return [{ text: "\n" }];
    case "link":
      return linkSpans(toSpans(token.tokens, [...styles, "underline"]), token.text, token.href, styles);
    case "image":
      return linkSpans([{ text: `[image: ${token.text}]`, styles }], token.text, token.href, styles);
    case "text":
      return token.tokens === undefined ? [{ text: token.text, styles }] : toSpans(token.tokens, styles);
    case "escape":
      return [{ text: token.text, styles }];
    case "checkbox":
      return [{ text: token.checked ? "[x] " : "[ ] ", styles }];
    default:
      return [{ text: token.raw, styles }];
  }
}

function linkSpans(label: readonly Span[], text: string, href: string, styles: readonly Style[]): Span[] {
  if (href === "" || href === text || href === `mailto:${text}`) return [...label];
  return [...label, { text: ` (${href})`, styles: [...styles, "dim"] }];
}
