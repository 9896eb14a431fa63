import { expect, test } from "vitest";
import { markdownToHtml, plainToHtml, typedToHtml } from "./markdown.ts";

test.each([
  ["a\nb", "<p>a<br>b</p>\n"],
  ["~~a~~", "<p><del>a</del></p>\n"],
  ["```ts twoslash\na<b\n```", '<pre data-language="typescript"><code>a&lt;b</code></pre>\n'],
  ["```a.py\tx\nb\n```", '<pre data-language="python"><code>b</code></pre>\n'],
  ["    a<b", "<pre><code>a&lt;b</code></pre>\n"],
  ["- a & <b>\n- *c*", "<ul>\n<li>a &amp; &lt;b&gt;</li>\n<li><em>c</em></li>\n</ul>\n"],
  [
    '[*a* <b>](mailto:"a"@e.example)',
    '<p><a href="mailto:&quot;a&quot;@e.example" rel="noopener noreferrer nofollow"' +
      ' title="mailto:&quot;a&quot;@e.example"><em>a</em> &lt;b&gt;</a></p>\n',
  ],
  ["[*a*](/b?c&d)", '<p><em>a</em> <span class="address">(/b?c&amp;d)</span></p>\n'],
  ["![<a>](/b?c&d)", '<p><span class="address">[image &lt;a&gt;: /b?c&amp;d]</span></p>\n'],
])("the Markdown %j has its structure in HTML", (text, html) => expect(markdownToHtml(text)).toBe(html));

test("text as it was typed is escaped, and a paragraph that is too long is shown so", () => {
  expect(plainToHtml("*<a>*\n b")).toBe('<pre class="plain">*&lt;a&gt;*\n b</pre>');
  const long = `*a* ${"x".repeat(9_996)}`;
  expect(markdownToHtml(long)).toBe(`<p><em>a</em>${long.slice(3)}</p>\n`);
  expect(markdownToHtml(`${long}x`)).toBe(`<pre class="plain">${long}x</pre>`);
});

test("text that nests deeper than the parser can go is shown as it was typed", () => {
  const deep = ">".repeat(5_000);
  expect(markdownToHtml(deep)).toBe(plainToHtml(deep));
});

test("a long text keeps its Markdown, also around a paragraph that is too long for it", () => {
  const long = "x".repeat(10_001);
  const many = "Some *words* of a report.\n\n".repeat(9_000);
  const code = `\`\`\`\n${"a\n\n".repeat(20)}\`\`\`\n\n`;
  expect(markdownToHtml(`# Report\n\n${long}\n\n- *end*`)).toBe(
    `<h1>Report</h1>\n<pre class="plain">${long}</pre><ul>\n<li><em>end</em></li>\n</ul>\n`,
  );
  const html = markdownToHtml(`${code}${many}${code}`);
  expect(html.split("<em>words</em>")).toHaveLength(9_001);
  expect(html.split("<pre><code>a\n\na")).toHaveLength(3);
  expect(html).not.toContain("plain");
});

test.each([
  [
    "Use **all** of it:\n- `a`\n- b",
    "<p>Use <strong>all</strong> of it:</p>\n<ul>\n<li><code>a</code></li>\n<li>b</li>\n</ul>\n",
  ],
  ["src/*.ts and test/*.ts", "<p>src/*.ts and test/*.ts</p>\n"],
  ["if (a)\n    b", "<p>if (a)<br>    b</p>\n"],
  ["_a_ *b* __c__", "<p>_a_ *b* __c__</p>\n"],
  [
    "<b>hi</b> [x](javascript:1)",
    '<p>&lt;b&gt;hi&lt;/b&gt; x <span class="address">(javascript:1)</span></p>\n',
  ],
])("the prompt %j keeps its signs, and what is Markdown is drawn", (text, html) =>
  expect(typedToHtml(text)).toBe(html),
);
