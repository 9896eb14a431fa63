/** Converts the Markdown of messages to HTML. HTML that is in a message is shown as text. */

import { Marked, type MarkedExtension, type Tokens } from "marked";
import { isTooLongForMarkdown } from "../render/index.ts";
import { escapeVisible } from "./escape.ts";
import { languageAttribute } from "./language.ts";

const SAFE_ADDRESS = /^(https?:\/\/|mailto:)/iu;

const OPTIONS: MarkedExtension = {
  gfm: true,
  breaks: true,
  renderer: {
    html({ text }: Tokens.HTML | Tokens.Tag): string {
      return escapeVisible(text);
    },
    // The renderer of the parser does not escape text inside a `<pre>` of the session.
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
};

const marked = new Marked(OPTIONS);

/** A person types `src/*.ts` and `__init__`, and rarely means italics: here only `**` marks emphasis. */
const typed = new Marked(OPTIONS, {
  // Code that was pasted without a fence keeps its shape: the page shows the spaces after a line break.
  renderer: { br: ({ raw }) => `<br>${/[ \t]*$/u.exec(raw)?.[0] ?? ""}` },
  tokenizer: { emStrong: (rest) => (rest.startsWith("**") ? false : undefined) },
});

/** `text` is visible text (`visibleText`). */
export function markdownToHtml(text: string): string {
  return piecesOf(text)
    .map((piece) => pieceToHtml(piece, marked))
    .join("");
}

/** Does the same for text that a person typed. */
export function typedToHtml(text: string): string {
  return piecesOf(text)
    .map((piece) => pieceToHtml(piece, typed))
    .join("");
}

function pieceToHtml(text: string, parser: Marked): string {
  if (!isTooLongForMarkdown(text)) {
    try {
      return parser.parse(text, { async: false });
    } catch (error) {
      // The text is nested deeper than the parser can read.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return plainToHtml(text);
}

/** A text that is too long for the parser is read in parts of this size. */
const PIECE_CHARS = 20_000;
const FENCE = /^ {0,3}(`{3,}|~{3,})/u;

/** Returns the whole text, or groups of its paragraphs; a paragraph that is too long is a piece of its own. */
function piecesOf(text: string): readonly string[] {
  if (!isTooLongForMarkdown(text)) return [text];
  const pieces: string[] = [];
  let piece = "";
  for (const paragraph of paragraphsOf(text)) {
    const isLong = isTooLongForMarkdown(paragraph);
    if (piece !== "" && (isLong || piece.length + paragraph.length > PIECE_CHARS)) {
      pieces.push(piece);
      piece = "";
    }
    if (isLong) pieces.push(paragraph.replace(/\s+$/u, ""));
    else piece += paragraph;
  }
  return piece === "" ? pieces : [...pieces, piece];
}

/** Each paragraph has the blank line after it; a block of code counts as one paragraph. */
function paragraphsOf(text: string): readonly string[] {
  const paragraphs: string[] = [];
  let paragraph = "";
  let fence: string | null = null;
  for (const line of text.split(/(?<=\n)/u)) {
    const [, mark] = FENCE.exec(line) ?? [];
    if (fence === null) fence = mark ?? null;
    else if (mark?.startsWith(fence) === true && line.trim() === mark) fence = null;
    paragraph += line;
    if (fence !== null || line.trim() !== "") continue;
    paragraphs.push(paragraph);
    paragraph = "";
  }
  return paragraph === "" ? paragraphs : [...paragraphs, paragraph];
}

/** Shows text as it was typed. */
export function plainToHtml(text: string): string {
  return `<pre class="plain">${escapeVisible(text)}</pre>`;
}
