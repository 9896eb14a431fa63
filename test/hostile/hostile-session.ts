/** A session of Claude Code that attacks the page that shows it. `address` is a server that must receive no request. */

import { claudeText } from "../cli/home.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Texts that a browser would obey if they were not escaped; each ends in words that must be readable. */
export function attacksOn(address: string): readonly string[] {
  const act = `document.title='owned';window.owned=1;fetch('${address}/act')`;
  return [
    `<script>${act}</script> after-script`,
    `<img src=x onerror="${act}"> after-handler`,
    `<svg onload="${act}"><script>${act}</script></svg> after-svg`,
    `<svg><style><img src=x onerror="${act}"></style></svg> after-svg-style`,
    `<math><mtext><table><mglyph><style><img src=x onerror=${act}></style></table> after-math`,
    `<pre> <img src=x onerror="${act}" //unclosed after-raw-block`,
    `<code> <iframe srcdoc="<script>${act}</script>" //unclosed after-raw-code`,
    `[a link](javascript:${encodeURI(act)}) after-javascript-link`,
    `[a link](JaVaScRiPt:${encodeURI(act)}) [b](&#106;avascript:alert(1)) after-cased-link`,
    `[data](data:text/html;base64,${Buffer.from(`<script>${act}</script>`).toString("base64")}) after-data-link`,
    `[file](file:///etc/passwd) <javascript:alert(1)> after-file-link`,
    `[quoted](https://e.example/"onmouseover="${act.replaceAll("'", "")}) after-quoted-link`,
    `![picture](${address}/markdown-image.png) after-markdown-image`,
    `![picture][ref] after-reference-image\n\n[ref]: ${address}/reference-image.png`,
    `<img src="${address}/html-image.png"><link rel=stylesheet href="${address}/style.css"> after-html-image`,
    `<iframe src="${address}/frame"></iframe><object data="${address}/object"></object> after-frame`,
    `<meta http-equiv="refresh" content="0;url=${address}/refresh"><base href="${address}/base/"> after-refresh`,
    `<form action="${address}/form"><button autofocus onfocus="${act}">go</button></form> after-form`,
    `</style></script></title></textarea></details></article></main></body></html> after-closing-tags`,
    `<!-- unclosed comment after-comment`,
    `<![CDATA[ after-cdata`,
    `<style>body{display:none} @import url(${address}/import.css)</style> after-style`,
    `<div style="position:fixed;inset:0;background:url(${address}/background)"> after-div`,
    `| <script>${act}</script> | b |\n|---|---|\n| <img src=x onerror=${act}> | after-table |`,
    `\`\`\`html" onmouseover="${act}\n</code></pre><script>${act}</script> after-fence\n\`\`\``,
    `\`<script>${act}</script>\` after-code-span`,
    `> <details open ontoggle="${act}"> after-quote`,
    `${">".repeat(5000)} after-deep-quote`,
    `${"long".repeat(100_000)} after-huge-line`,
    `\u202egnp.exe\u202c \u200b\u0000\u0007\u001b[31m \ud800 after-bidi`,
    `&lt;script&gt; &#60;script&#62; after-entities`,
  ];
}

export interface Line {
  readonly uuid: string;
  readonly parent: string | null;
  readonly role: "user" | "assistant";
  readonly content: unknown;
  readonly time: string;
}

/** Puts each attack into the person's text, the agent's text and thinking, a tool call, and its result. */
export function hostileSession(id: string, address: string): string {
  const lines: Line[] = [];
  const add = (role: Line["role"], content: unknown): void => {
    const uuid = `u${lines.length}`;
    lines.push({ uuid, parent: lines.at(-1)?.uuid ?? null, role, content, time: "10:00:00" });
  };
  for (const [at, text] of attacksOn(address).entries()) {
    const call = `t${at}`;
    add("user", text);
    add("assistant", [
      { type: "thinking", thinking: text, signature: "" },
      { type: "text", text },
      { type: "tool_use", id: call, name: `Tool${at}`, input: { [text]: text } },
    ]);
    add("user", [{ type: "tool_result", tool_use_id: call, content: text }]);
  }
  const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="fetch('${address}/svg')"/>`);
  const image = (media_type: string, data: string) => ({
    type: "image",
    source: { type: "base64", media_type, data },
  });
  add("user", [
    image("image/png", PIXEL),
    image("image/svg+xml", svg.toString("base64")),
    image('image/png" onerror="alert(1)', PIXEL),
    image("image/png", '"><script>window.owned=1</script>'),
    { type: "image", source: { type: "url", url: `${address}/url-image.png` } },
    { type: "text", text: "after-images" },
  ]);
  return claudeText(id, lines);
}
