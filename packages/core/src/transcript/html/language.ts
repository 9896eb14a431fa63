/** The language of code, by the name of its file or fence. It is one of a fixed list, so that it is safe in HTML. */

export const LANGUAGES = [
  "bash",
  "css",
  "go",
  "java",
  "json",
  "markdown",
  "python",
  "rust",
  "sql",
  "typescript",
  "xml",
  "yaml",
] as const;

export type Language = (typeof LANGUAGES)[number];

const ENDINGS: Readonly<Record<Language, readonly string[]>> = {
  bash: ["bash", "sh", "zsh", "shell", "console", "dockerfile"],
  css: ["css", "scss", "less"],
  go: ["go"],
  java: ["java", "kt", "cs", "c", "h", "cpp", "cc", "swift"],
  json: ["json", "jsonl", "jsonc"],
  markdown: ["md", "markdown", "mdx"],
  python: ["py", "python", "pyi", "rb"],
  rust: ["rs", "rust"],
  sql: ["sql"],
  typescript: ["ts", "tsx", "mts", "cts", "typescript", "js", "jsx", "mjs", "cjs", "javascript"],
  xml: ["html", "htm", "xml", "svg", "vue", "svelte"],
  yaml: ["yaml", "yml", "toml"],
};

const LANGUAGE_BY_ENDING: ReadonlyMap<string, Language> = new Map(
  LANGUAGES.flatMap((language) => ENDINGS[language].map((ending) => [ending, language] as const)),
);

/** `name` is a path, or the word after a code fence. `null` if the language is unknown. */
export function languageOf(name: string): Language | null {
  const ending = /[^./\\]*$/u.exec(name.trim().toLowerCase())?.[0] ?? "";
  return LANGUAGE_BY_ENDING.get(ending) ?? null;
}

/** The attribute ` data-language="…"`; empty if the language is unknown. */
export function languageAttribute(path: string | null): string {
  const language = path === null ? null : languageOf(path);
  return language === null ? "" : ` data-language="${language}"`;
}
