/**
 * Messages as people read them: parts that are safe to show, Markdown, and text for a prompt.
 *
 * Promises: pure. Every string of a part is visible text: control characters, bidirectional overrides and other
 * invisible characters are replaced (on pages, marks of direction are kept, and end with their line). In Markdown and
 * in text, a message cannot imitate another message or role.
 * Does not know: terminals, colours, events.
 */

export { contentOfBlock } from "./block-content.ts";
export {
  type ChangedFile,
  changesOf,
  type DiffLine,
  type FileText,
  type TextEdit,
  textEditsOf,
} from "./changes.ts";
export { spokenText } from "./command-text.ts";
export { fence, inlineCode } from "./fence.ts";
export { commonLines } from "./line-diff.ts";
export { isTooLongForMarkdown, type MarkdownOptions, messageToMarkdown } from "./markdown.ts";
export {
  type MessageKind,
  messageKind,
  type Part,
  type ResultPart,
  toParts,
} from "./parts.ts";
export { messagesToText, type TextOptions } from "./text.ts";
export { mainArgument } from "./tools.ts";
export { createTurnStarts } from "./turn-starts.ts";
export { textInIsolates, visibleLine, visibleText } from "./visible-text.ts";
