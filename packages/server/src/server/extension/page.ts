/** The page on which a person answers an extension. It loads no file and has one script. Pure. */

import { createHash } from "node:crypto";
import { escapeHtml } from "@continuo/core/transcript/html";
import type { WaitingRequest } from "./requests.ts";

/** The id that the manifest of our builds for Chromium defines. */
const OWN_ORIGIN = "chrome-extension://baclfmndmnhkglifhajioeagailcneed";

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --dim: light-dark(#5a6068, #a2a8b0); --accent: light-dark(#3f43bd, #a5a9ff); --line: light-dark(#dededa, #34373c);
  color: light-dark(#1b1d20, #e4e5e7); background: light-dark(#f3f3f0, #111214); }
* { box-sizing: border-box; }
body { margin: 0; display: grid; min-height: 100vh; place-items: center; padding: 16px; }
main { width: 100%; max-width: 32rem; padding: 28px; border: 1px solid var(--line); border-radius: 12px;
  background: light-dark(#fdfdfb, #17181b); }
h1 { margin: 0 0 12px; font-size: 22px; line-height: 1.25; }
p { margin: 0 0 12px; }
dl { margin: 0 0 16px; padding: 12px 0; border-block: 1px solid var(--line); display: grid; grid-template-columns: auto 1fr; gap: 6px 16px; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font-size: 14px; }
.warn { color: light-dark(#7d5100, #e3b75d); }
button, input { font: inherit; padding: 8px 18px; min-height: 44px; border-radius: 8px; border: 1px solid var(--line); }
button { color: inherit; background: none; cursor: pointer; }
button:disabled { opacity: 0.55; cursor: default; }
#grant { color: light-dark(#fff, #17181b); background: var(--accent); border-color: var(--accent); font-weight: 600; }
input { display: block; width: 100%; margin: 4px 0 16px; color: inherit; background: transparent; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;

/** A click counts only after the page has been in front for a moment, so that no click meant for another page grants access. */
const SCRIPT = `
const grant = document.getElementById("grant");
const refuse = document.getElementById("refuse");
const says = document.getElementById("says");
const code = document.getElementById("code");
const { nonce, request } = document.body.dataset;
let timer;
let isOver = false;
const see = () => {
  clearTimeout(timer);
  grant.disabled = true;
  if (isOver || document.visibilityState !== "visible" || !document.hasFocus()) return;
  timer = setTimeout(() => { grant.disabled = false; }, 700);
};
for (const name of ["focus", "blur", "pageshow"]) addEventListener(name, see);
document.addEventListener("visibilitychange", see);
see();
const answer = async (isGranted) => {
  grant.disabled = refuse.disabled = true;
  let text;
  try {
    const sent = await fetch("/v1/extension/requests/" + request + "/answer", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ nonce, isGranted, code: code === null ? "" : code.value.trim().toLowerCase() }),
    });
    isOver = sent.ok;
    if (sent.ok) text = isGranted ? "Connected. Go back to your video; this tab can be closed." : "Refused. This tab can be closed.";
    else {
      const { error } = await sent.json();
      text = error.message + ". " + (error.hint ?? "");
    }
  } catch {
    text = "The server does not answer. Check that continuo serve runs.";
  }
  says.textContent = text;
  if (isOver) document.getElementById("buttons").hidden = true;
  else { refuse.disabled = false; see(); }
};
grant.addEventListener("click", (event) => { if (event.isTrusted) void answer(true); });
refuse.addEventListener("click", (event) => { if (event.isTrusted) void answer(false); });
`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [
    "default-src 'none'",
    `script-src ${hashOf(SCRIPT)}`,
    `style-src ${hashOf(STYLE)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; "),
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
};

const ACCESS: Readonly<Record<"sessions" | "everything", readonly (readonly [string, string])[]>> = {
  sessions: [
    ["It may", "read and write continuous sessions: captions, pictures and notes of videos"],
    ["It may not", "see sessions of agents, files or channels, or start programs"],
  ],
  everything: [
    [
      "It may",
      "do everything, as any program here: the server was started with --no-auth and requires no token",
    ],
  ],
};

export function pageOf(
  { requestId, origin, version, site, nonce, code }: Omit<WaitingRequest, "secret">,
  access: keyof typeof ACCESS,
): string {
  const isOwn = origin === OWN_ORIGIN;
  const rows = [
    ["Extension", isOwn ? `Continuo ${version}` : `calls itself Continuo ${version}`],
    ["Its id", origin.replace(/^[a-z-]+:\/\//u, "")],
    ...(site === null ? [] : [["Asked on", site]]),
    ...ACCESS[access],
  ];
  const list = rows.map(
    ([name = "", text = ""]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(text)}</dd>`,
  );
  const warning = isOwn
    ? ""
    : `<p class="warn">This is not the id that Continuo's own build has in Chromium. Connect it only if you installed it yourself: compare the id with the browser's page of extensions.</p>`;
  const field =
    code === null
      ? ""
      : `<label for="code">The code that <code>continuo serve</code> printed in its terminal</label><input id="code" autocomplete="off" autofocus>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Connect the extension - Continuo</title>
<style>${STYLE}</style>
</head>
<body data-request="${escapeHtml(requestId)}" data-nonce="${escapeHtml(nonce)}">
<main>
<h1>Connect this browser to Continuo?</h1>
<p>An extension of this browser asks for access to the Continuo server of this machine.</p>
<dl>${list.join("")}</dl>
${warning}${field}
<p id="says" role="status"></p>
<div id="buttons"><button id="grant" type="button" disabled>Connect</button> <button id="refuse" type="button">Refuse</button></div>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}
