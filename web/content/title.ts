/**
 * The title of a session or a turn as a reader sees it. Most are the first words of a prompt, whose marks of Markdown say
 * nothing in one line. Pure.
 */

import { visibleLine } from "@continuo/core/transcript";

/** Globs such as `src/**` keep their stars. */
const BOLD = /(?<![\w/*])\*\*(?![\s*/])([^*]+?)(?<!\s)\*\*(?![\w/*])/gu;
const CODE = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/gu;
const LINK = /(?<!!)\[([^[\]]+)\]\((?:https?:|mailto:)[^\s()]*\)/giu;
const HEADING = /^#{1,6}\s+(?=\S)/u;

/** Visible text on one line, without marks of Markdown; `none` stands for a missing title. */
export function titleText(title: string | null, none = "Untitled"): string {
  if (title === null) return none;
  const line = visibleLine(title);
  return line.replace(HEADING, "").replaceAll(LINK, "$1").replaceAll(BOLD, "$1").replaceAll(CODE, "$2");
}
