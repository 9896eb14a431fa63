/** Finds keywords, strings and so on in code, and changes within a line. Pure, and large: only a worker loads it. */

import type { Language } from "@continuo/core/transcript/html";
import { diffWordsWithSpace } from "diff";
import highlight from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { changedWords, highlightRangesOf } from "./highlight-ranges.ts";
import type { ColourRequest, HighlightRanges } from "./tokens.ts";

const LANGUAGES: Readonly<Record<Language, Parameters<typeof highlight.registerLanguage>[1]>> = {
  bash,
  css,
  go,
  java,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};

export function wordsOf({ language, text, lines }: Omit<ColourRequest, "id">): readonly HighlightRanges[] {
  if (highlight.getLanguage(language) === undefined && Object.hasOwn(LANGUAGES, language))
    highlight.registerLanguage(language, LANGUAGES[language as Language]);
  const words = lines === null ? [] : changedWords(text, lines, diffWordsWithSpace);
  const html = Object.hasOwn(LANGUAGES, language)
    ? highlight.highlight(text, { language, ignoreIllegals: true }).value
    : "";
  return [...highlightRangesOf(html), ...words].sort((a, b) => a.from - b.from);
}
