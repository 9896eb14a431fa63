/** `continuo extension`. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { escapeHtml } from "@continuo/core/transcript/html";
import { packageFile } from "@continuo/files";
import { type Shell, toJsonText } from "../terminal/index.ts";
import { openPageWork } from "../view/index.ts";
import type { ExtensionFlags } from "./flags.ts";

/** The builds of the extension, in the package and in the repository. */
const FOLDER = "extension/dist";

/** `folder` has a build for each browser. Errors: `not_found`. */
export async function runExtension(
  flags: ExtensionFlags,
  shell: Shell,
  folder: string = packageFile(FOLDER) ?? FOLDER,
): Promise<number> {
  const chromium = join(folder, "chrome-mv3");
  const firefox = join(folder, "firefox-mv3");
  if (!existsSync(join(chromium, "manifest.json"))) {
    throw new ContinuoError("not_found", `the extension is not built: there is no ${chromium}`, {
      hint: "Run `npm run extension` in the folder of the repository.",
    });
  }
  if (flags.json) {
    shell.stdout.write(`${toJsonText({ chromium, firefox })}\n`);
    return 0;
  }
  shell.stdout.write(stepsOf(chromium, firefox));
  if (flags.open) await openPageWork(pageOf(chromium), shell);
  return 0;
}

function stepsOf(chromium: string, firefox: string): string {
  return `The extension is in ${chromium}

  1. Open chrome://extensions (Edge: edge://extensions, Brave: brave://extensions), switch on "Developer mode",
     press "Load unpacked", and choose that folder.
  2. Open a page with a video, and press Continuo's button in the toolbar.
  3. Run \`continuo serve\` in a terminal, and press Connect in the panel.

Firefox: open about:debugging#/runtime/this-firefox, press "Load Temporary Add-on", and choose
${join(firefox, "manifest.json")}
`;
}

/** The steps as a page: a click selects the address or the folder, so that it can be copied. */
function pageOf(chromium: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Install the extension - Continuo</title>
<style>
:root { color-scheme: light dark; font: 17px/1.55 system-ui, sans-serif; }
body { max-width: 44rem; margin: 8vh auto; padding: 0 1.5rem; }
li { margin-block: 1.2rem; padding-inline-start: 0.4rem; }
code { user-select: all; padding: 2px 6px; border-radius: 5px; background: color-mix(in srgb, currentcolor 10%, transparent); overflow-wrap: anywhere; }
</style>
<h1>Continuo in this browser, in three steps</h1>
<ol>
<li>Open <code>chrome://extensions</code> (a click selects it; paste it into the address bar), switch on
<strong>Developer mode</strong>, press <strong>Load unpacked</strong>, and choose the folder<br><code>${escapeHtml(chromium)}</code></li>
<li>Open a page with a video, and press Continuo's button in the toolbar.</li>
<li>Run <code>continuo serve</code> in a terminal, and press <strong>Connect</strong> in the panel.</li>
</ol>
</html>
`;
}
