/** Chromium that draws the same pixels on every machine, with only the two fonts of the page. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { openBrowser } from "../cli/browser.ts";

const FLAGS = [
  "--font-render-hinting=none",
  "--disable-lcd-text",
  "--force-device-scale-factor=1",
  "--force-color-profile=srgb",
  "--disable-partial-raster",
  "--disable-skia-runtime-opts",
];

const FONTS = [
  ["Inter", "normal", "inter/files/inter-latin-wght-normal.woff2"],
  ["Inter", "italic", "inter/files/inter-latin-wght-italic.woff2"],
  ["JetBrains Mono", "normal", "jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2"],
] as const;

/** Letters are placed by their exact widths, because some builds of Chromium round each width to a whole pixel. */
const FRACTIONS = `addEventListener("DOMContentLoaded", () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("html, button, input, select, textarea { text-rendering: geometricPrecision }");
  document.adoptedStyleSheets.push(sheet);
});`;

export interface PictureBrowser {
  readonly browser: Browser;
  /** Removes the temporary files of the browser, which must be closed before. */
  [Symbol.dispose](): void;
}

export async function openPictureBrowser(): Promise<PictureBrowser> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-fonts-"));
  mkdirSync(join(folder, "fonts"));
  const path = join(folder, "fonts.conf");
  writeFileSync(path, toFontConfiguration(folder));
  const browser = await openBrowser({ flags: FLAGS, env: { FONTCONFIG_FILE: path } });
  return { browser, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/**
 * Returns a configuration without any font, because the fonts of the page are sent as bytes. A letter that they lack is
 * an empty box everywhere.
 */
function toFontConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/cache</cachedir></fontconfig>
`;
}

/** Gives each page of the context the fonts that are first in `web/theme.css`. */
export async function addFonts(context: BrowserContext): Promise<void> {
  const require = createRequire(import.meta.url);
  const faces = FONTS.map(([family, style, file]) => {
    const bytes = readFileSync(require.resolve(`@fontsource-variable/${file}`)).toString("base64");
    return `document.fonts.add(new FontFace("${family}", Uint8Array.fromBase64("${bytes}"), { style: "${style}", weight: "100 900" }));`;
  });
  await context.addInitScript({ content: [...faces, FRACTIONS].join("\n") });
}
