/**
 * The only place of the page that turns text into HTML: the output of `packages/core/src/transcript/html`, which
 * escapes everything from a session. The policy of the page (Trusted Types) allows it only here. The policy also names
 * the only script that can be started as a worker.
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

/** `html` is from `packages/core/src/transcript/html`. */
export function fillWithHtml(element: Element, html: string): void {
  element.innerHTML = (policy?.createHTML(html) ?? html) as string;
}

/** Starts the worker that colours code; `null` in a page without one. */
export function startColourWorker(): Worker | null {
  if (CONTINUO_COLOUR_WORKER === "") return null;
  const address = policy?.createScriptURL("") ?? CONTINUO_COLOUR_WORKER;
  return new Worker(address as string, { type: "module" });
}
