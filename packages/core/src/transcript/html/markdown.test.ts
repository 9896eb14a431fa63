import { expect, test } from "vitest";
import { markdownToHtml, plainToHtml } from "./markdown.ts";

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
