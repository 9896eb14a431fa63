import { expect, test } from "vitest";
import { LANGUAGES, languageAttribute, languageOf } from "./language.ts";

const NAMES = {
  bash: ["bash", "sh", "zsh", "shell", "console", "dockerfile"],
  css: ["css", "scss", "less"],
  go: ["go"],
  java: ["java", "kt", "cs", "c", "h", "cpp", "cc", "swift"],
  json: ["json", "jsonl", "jsonc"],
  markdown: ["md", "markdown", "mdx"],
  python: ["py", "python", "pyi", "rb"],
  rust: ["rs", "rust"],
  sql: ["sql"],
  typescript: [...["ts", "tsx", "mts", "cts", "typescript"], ...["js", "jsx", "mjs", "cjs", "javascript"]],
  xml: ["html", "htm", "xml", "svg", "vue", "svelte"],
  yaml: ["yaml", "yml", "toml"],
};

test.each(Object.entries(NAMES))("%s is the language of its endings and of its fences", (language, names) => {
  expect(names.map((name) => languageOf(`/x/a.${name}`))).toEqual(names.map(() => language));
  expect(names.map((name) => languageOf(name))).toEqual(names.map(() => language));
});

test("the closed list contains each language that a name can have, in the order of the alphabet", () => {
  expect(LANGUAGES).toEqual(Object.keys(NAMES));
});

test.each([
  [" /x/A.Py\n", "python"],
  ["C:\\x\\Dockerfile", "bash"],
  ["/x.py/Dockerfile", "bash"],
  ["/x.py/readme", null],
  ["a.ts.txt", null],
  ["a.", null],
  ["", null],
  ["constructor", null],
  ["__proto__", null],
])("the language of %j is %s", (name, language) => expect(languageOf(name)).toBe(language));

test("only a known language becomes an attribute", () => {
  expect([".ts", "a.txt", "", null].map(languageAttribute)).toEqual([
    ' data-language="typescript"',
    "",
    "",
    "",
  ]);
});
