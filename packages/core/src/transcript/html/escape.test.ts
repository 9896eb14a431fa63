import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeHtml, escapePath, escapeVisible } from "./escape.ts";

test("the five characters of markup are escaped, in texts and in attributes", () => {
  expect(escapeVisible(`&<>"'&a`)).toBe("&amp;&lt;&gt;&quot;&#39;&amp;a");
  expect(escapeHtml(`&<>"'&a`)).toBe("&amp;&lt;&gt;&quot;&#39;&amp;a");
});

test("only the function for all texts makes invisible characters visible", () => {
  expect(escapeHtml("a\u202e\u001b")).toBe("a&lt;U+202E&gt;␛");
  expect(escapeVisible("a\u202e")).toBe("a\u202e");
});

test("a path may wrap after each slash", () => {
  expect(escapePath("/<a>/b")).toBe("/<wbr>&lt;a&gt;/<wbr>b");
});

test("escaped text comes back whole, whatever it contains", () => {
  const entities = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  fc.assert(
    fc.property(fc.string(), (text) => {
      const html = escapeVisible(text);
      expect(html).not.toMatch(/[<>"']/u);
      const back = html.replaceAll(/&[^;]*;/gu, (entity) => entities[entity as keyof typeof entities]);
      expect(back).toBe(text);
    }),
  );
});
