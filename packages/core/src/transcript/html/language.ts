/** The language of code, by the name of its file or of its fence: one of a closed list, so that it may stand in HTML. */

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

const ENDINGS: Readonly<Record<string, Language>> = {
  ...{ bash: "bash", sh: "bash", zsh: "bash", shell: "bash", console: "bash", dockerfile: "bash" },
  ...{ css: "css", scss: "css", less: "css" },
  ...{ go: "go" },
  ...{ java: "java", kt: "java", cs: "java", c: "java", h: "java", cpp: "java", cc: "java", swift: "java" },
  ...{ json: "json", jsonl: "json", jsonc: "json" },
  ...{ md: "markdown", markdown: "markdown", mdx: "markdown" },
  ...{ py: "python", python: "python", pyi: "python", rb: "python" },
  ...{ rs: "rust", rust: "rust" },
  ...{ sql: "sql" },
  ...{ ts: "typescript", tsx: "typescript", mts: "typescript", cts: "typescript", typescript: "typescript" },
  ...{ js: "typescript", jsx: "typescript", mjs: "typescript", cjs: "typescript", javascript: "typescript" },
  ...{ html: "xml", htm: "xml", xml: "xml", svg: "xml", vue: "xml", svelte: "xml" },
  ...{ yaml: "yaml", yml: "yaml", toml: "yaml" },
};

/** `name` is a path, or the word after a code fence. `null` if the language is unknown. */
export function languageOf(name: string): Language | null {
  const ending = /[^./\\]*$/u.exec(name.trim().toLowerCase())?.[0] ?? "";
  return Object.hasOwn(ENDINGS, ending) ? (ENDINGS[ending] ?? null) : null;
}

/** ` data-language="…"` for code that can be coloured. */
export function languageAttribute(path: string | null): string {
  const language = path === null ? null : languageOf(path);
  return language === null ? "" : ` data-language="${language}"`;
}
