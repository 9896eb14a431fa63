/** Puts text into Markdown so that it cannot end its block or span. */

/** Makes a code block whose fence is longer than any run of backticks in the text. `info` is never session text. */
export function fence(text: string, info: string): string {
  const marks = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${marks}${info}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${marks}`;
}

/** A code span of one line. */
export function inlineCode(text: string): string {
  const marks = "`".repeat(longestRun(text) + 1);
  const pad = text.startsWith("`") || text.endsWith("`") || text.trim() !== text || text === "" ? " " : "";
  return `${marks}${pad}${text.replaceAll("\n", " ")}${pad}${marks}`;
}

/**
 * Returns true if the text, as Markdown, cannot change the document around it: it has no heading, rule, HTML, image to
 * fetch or link definition, and it closes every code block. Returns false when in doubt.
 */
export function isPlainText(text: string): boolean {
  let open: string | null = null;
  for (const line of text.split("\n")) {
    const [, marks, info] = /^(`{3,})([\w+#.-]*)[ \t]*$/u.exec(line) ?? [];
    if (open !== null) {
      if (marks !== undefined && info === "" && marks.length >= open.length) open = null;
      continue;
    }
    if (marks !== undefined) open = marks;
    else if (WILD.some((pattern) => pattern.test(line))) return false;
  }
  return open === null;
}

const WILD: readonly RegExp[] = [
  /^[\s>*+\-\d.)]*#{1,6}(?:\s|$)/u,
  /^[\s>*+\-\d.)]*[=_*-][\s=_*-]*$/u,
  /`{3}|~{3}/u,
  /<[a-z/!?]/iu,
  /!\[/u,
  /\[[^\]]*\]:|\[\^/u,
];

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/gu)) longest = Math.max(longest, run.length);
  return longest;
}
