/** The name of this page that other pages show after it answered first. */

import type { ChatPage } from "@continuo/core/wire/machine";

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg\//u, "Edge"],
  [/\bOPR\//u, "Opera"],
  [/\bFirefox\//u, "Firefox"],
  [/\b(?:Headless)?Chrom(?:e|ium)\//u, "Chrome"],
  [/\bSafari\//u, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/u, "Android"],
  [/\b(?:iPhone|iPad)\b/u, "iOS"],
  [/\bMac OS X\b/u, "macOS"],
  [/\bWindows\b/u, "Windows"],
  [/\bLinux\b/u, "Linux"],
];

/** Returns a name such as `Firefox on Linux`. */
function nameOfPage(agent: string): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (all) => all.find(([pattern]) => pattern.test(agent))?.[1],
  );
  return `${browser ?? "A browser"}${system === undefined ? "" : ` on ${system}`}`;
}

/** An id without `randomUUID`, which a page has only on this machine or over https. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((one) => one.toString(16).padStart(2, "0"))
    .join("");
}

export const THIS_PAGE: ChatPage = { id: newId(), name: nameOfPage(navigator.userAgent) };
