/**
 * The viewer in one file: its content security policy allows exactly this script and these styles, by their hashes, and
 * nothing from elsewhere. `continuo view ID --output FILE` puts a session in the places `%%NAME%%`.
 */

import { createHash } from "node:crypto";

export interface FileParts {
  readonly script: string;
  readonly style: string;
  /** The style of a page whose scripts do not run. */
  readonly plainStyle: string;
}

export function filePage({ script, style, plainStyle }: FileParts): string {
  // The escaped form means the same in a string and in a regular expression, and does not end the element.
  const inside = script.replace(/<(?=\/script|!--)/giu, "\\x3C");
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(inside)}'`,
    `style-src '${hashOf(style)}' '${hashOf(plainStyle)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types continuo",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>%%TITLE%%</title>
<style>${style}</style>
<noscript><style>${plainStyle}</style></noscript>
</head>
<body>
<div id="app"></div>
<noscript>
%%PLAIN%%</noscript>
<script type="application/json" id="saved-session">%%SESSION%%</script>
<script type="module">${inside}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
