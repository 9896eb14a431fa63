/** Content that a page must not have: scripts, event handlers, and elements that load or run something. */

import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Opens every fold, hovers over and focuses everything, and returns the content. */
const LOOK = `(() => {
  for (const fold of document.querySelectorAll('.fold[aria-expanded="false"]')) fold.click();
  for (const element of document.querySelectorAll("main *")) {
    for (const name of ["mouseover", "focus", "toggle", "error", "load"]) element.dispatchEvent(new Event(name));
  }
  const elements = [...document.querySelectorAll("main *")];
  return {
    owned: globalThis.owned ?? null,
    names: elements.map((element) => element.localName),
    handlers: elements.flatMap((element) => element.getAttributeNames().filter((name) => /^on/.test(name))),
    addresses: elements.flatMap((element) => ["href", "src", "action", "data", "srcdoc"].flatMap((name) => (element.getAttribute(name) === null ? [] : [element.localName + " " + name + " " + element.getAttribute(name).slice(0, 30)]))),
    text: document.querySelector("main").textContent,
  };
})()`;

export interface PageContents {
  readonly owned: unknown;
  readonly names: readonly string[];
  readonly handlers: readonly string[];
  /** The attributes with addresses, such as `img src https://example.org/`. */
  readonly addresses: readonly string[];
  readonly text: string;
}

const SAFE_ELEMENTS = new Set(
  "a b bdi blockquote br button code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr img li ol p pre span strong table tbody td th thead time tr ul wbr".split(
    " ",
  ),
);

/** The page fetches pictures itself, with the secret of its tab, and shows them from its own memory (`blob:`). */
const SAFE_ADDRESS =
  /^(?:img src blob:|\w+ \w+ (?:https?:\/\/|mailto:|data:image\/png|#\/|\/v1\/machine\/))/u;

/**
 * Opens all folds and touches everything; fails if an element or an address could execute something.
 *
 * @param alsoSafe elements that the page itself makes around messages of other kinds
 */
export async function checkContent(page: Page, alsoSafe: readonly string[] = []): Promise<PageContents> {
  await page.evaluate(LOOK);
  // This is repeated after the folds are open.
  const seen: PageContents = await page.evaluate(LOOK);
  expect(seen.owned).toBe(null);
  expect(seen.handlers).toEqual([]);
  expect(seen.names.filter((name) => !SAFE_ELEMENTS.has(name) && !alsoSafe.includes(name))).toEqual([]);
  for (const one of seen.addresses) expect(one).toMatch(SAFE_ADDRESS);
  return seen;
}

/** The requests to other servers. */
export function offTheServer(requests: readonly string[], server: string): readonly string[] {
  return requests.filter((url) => !url.startsWith(`${server}/`) && !/^(?:data|blob):/u.test(url));
}
