/** What is too long to be parsed as Markdown. */

/**
 * A parser's time grows with the square of some texts. What is longer, in all or between two blank lines, is
 * shown as it is: nobody writes so long a paragraph.
 */
const MAX_MARKDOWN_CHARS = 200_000;
const MAX_PARAGRAPH_CHARS = 10_000;

export function isTooLongForMarkdown(text: string): boolean {
  if (text.length <= MAX_PARAGRAPH_CHARS) return false;
  if (text.length > MAX_MARKDOWN_CHARS) return true;
  return text.split(/\n[ \t]*\n/u).some((paragraph) => paragraph.length > MAX_PARAGRAPH_CHARS);
}
