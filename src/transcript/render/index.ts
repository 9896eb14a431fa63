/**
 * Messages as people read them: parts that are safe to show, Markdown, and text for a prompt.
 *
 * Promises: pure. Every string of a part is visible: no control, no bidirectional override and no other
 * invisible character of a session reaches whoever shows it. In Markdown and in text a message cannot pretend to be
 * another message or role.
 * Does not know: terminals, colours, events.
 */

export { fence, inlineCode } from "./fence.ts";
export { isTooLongForMarkdown } from "./length.ts";
export { type MarkdownOptions, messageToMarkdown } from "./markdown.ts";
export { type MessageKind, messageKind, type Part, type ResultPart, toParts } from "./parts.ts";
export { messagesToText, type TextOptions } from "./text.ts";
export { mainArgument } from "./tools.ts";
export { visibleLine, visibleText } from "./visible.ts";
