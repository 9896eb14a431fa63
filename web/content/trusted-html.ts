/**
 * The one place of the page that makes HTML of text: of what `src/transcript/html` wrote, which escapes everything that
 * comes from a session. The policy of the page (Trusted Types) allows it here and nowhere else; it also names the one
 * script that a worker may be started from.
 */

/** Set by the build. */
declare const CONTINUO_COLOUR_WORKER: string;

interface Policy {
  createHTML(html: string): unknown;
  createScriptURL(address: string): unknown;
}

interface Factory {
  createPolicy(name: string, rules: Readonly<Record<keyof Policy, (text: string) => string>>): Policy;
}

const policy = (globalThis as { readonly trustedTypes?: Factory }).trustedTypes?.createPolicy("continuo", {
  createHTML: (html) => html,
  createScriptURL: () => CONTINUO_COLOUR_WORKER,
});

/** `html` is from `src/transcript/html`. */
export function fillWithHtml(element: Element, html: string): void {
  element.innerHTML = (policy?.createHTML(html) ?? html) as string;
}

/** The worker that colours code; `null` in a page that has none of its own. */
export function startColourWorker(): Worker | null {
  if (CONTINUO_COLOUR_WORKER === "") return null;
  const address = policy?.createScriptURL("") ?? CONTINUO_COLOUR_WORKER;
  return new Worker(address as string, { type: "module" });
}
