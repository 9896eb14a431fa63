/** Limits that nothing reads: they would promise a bound that no code holds. */

import { expect, test } from "vitest";
import { readSource } from "./imports.ts";

const KEY = /^ {2}(?:readonly )?(\w+)\??:/gmu;

test("each limit is read somewhere", () => {
  const files = [undefined, "web", "extension"].flatMap((folder) => readSource(folder));
  const sources = files.filter(({ file }) => !file.endsWith(".test.ts"));
  const read = new Set(sources.flatMap(({ text }) => readIn(text)));
  const unread = sources
    .filter(({ file }) => file.endsWith("/limits.ts"))
    .flatMap(({ file, text }) =>
      [...text.matchAll(KEY)].flatMap(([, key = ""]) => (read.has(key) ? [] : [`${file} ${key}`])),
    );
  expect(read.has("textChars")).toBe(true);
  expect(unread).toEqual([]);
});

/** The names after a point, and those of destructured objects. */
function readIn(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gmu, "");
  const members = [...code.matchAll(/\.(\w+)/gu)].map(([, name = ""]) => name);
  const destructured = [...code.matchAll(/\{([^{}]*)\}(?:: [^=;{}]*)? = /gu)];
  return [...members, ...destructured.flatMap(([, names = ""]) => names.match(/\w+/gu) ?? [])];
}
