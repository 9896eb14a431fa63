/** The Markdown of messages as HTML: structure is kept, markup of the session's own is shown as text. */

import { Marked, type Tokens } from "marked";
import { isTooLongForMarkdown } from "../render/index.ts";
import { escapeVisible } from "./escape.ts";
import { languageAttribute } from "./language.ts";

const SAFE_ADDRESS = /^(https?:\/\/|mailto:)/iu;

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html({ text }: Tokens.HTML | Tokens.Tag): string {
      return escapeVisible(text);
    },
    // The parser's own leaves what stands in a `<pre>` of the session's unescaped.
    text(token: Tokens.Text | Tokens.Escape): string {
      return "tokens" in token && token.tokens
        ? this.parser.parseInline(token.tokens)
        : escapeVisible(token.text);
    },
    code({ text, lang = "" }: Tokens.Code): string {
      return `<pre${languageAttribute(lang.split(/\s/u)[0] ?? "")}><code>${escapeVisible(text)}</code></pre>\n`;
    },
    link({ href, tokens }: Tokens.Link): string {
      const label = this.parser.parseInline(tokens);
      if (!SAFE_ADDRESS.test(href)) return `${label} <span class="address">(${escapeVisible(href)})</span>`;
      return `<a href="${escapeVisible(href)}" rel="noopener noreferrer nofollow" title="${escapeVisible(href)}">${label}</a>`;
    },
    image({ href, text }: Tokens.Image): string {
      return `<span class="address">[image ${escapeVisible(text)}: ${escapeVisible(href)}]</span>`;
    },
  },
});

/** `text` is visible text (`visibleText`). */
export function markdownToHtml(text: string): string {
  if (!isTooLongForMarkdown(text)) {
    try {
      return marked.parse(text, { async: false });
    } catch (error) {
      // Nested deeper than the parser goes.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return plainToHtml(text);
}

/** Text as it was typed. */
export function plainToHtml(text: string): string {
  return `<pre class="plain">${escapeVisible(text)}</pre>`;
}
