/**
 * The title of a session or a turn in the form that a reader sees. Most titles are the first words of a prompt, in
 * which Markdown syntax is useless on one line. Pure.
 */

import { visibleLine } from "@continuo/core/transcript";

/** Globs such as `src/**` keep their stars. */
const BOLD = /(?<![\w/*])\*\*(?![\s*/])([^*]+?)(?<!\s)\*\*(?![\w/*])/gu;
const CODE = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/gu;
const LINK = /(?<!!)\[([^[\]]+)\]\((?:https?:|mailto:)[^\s()]*\)/giu;
const HEADING = /^#{1,6}\s+(?=\S)/u;

/** Visible text on one line, without Markdown syntax; `none` replaces a missing title. */
export function titleText(title: string | null, none = "Untitled"): string {
  if (title === null) return none;
  const line = visibleLine(title);
  return line.replace(HEADING, "").replaceAll(LINK, "$1").replaceAll(BOLD, "$1").replaceAll(CODE, "$2");
}
