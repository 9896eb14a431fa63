/**
 * The one place of the page that makes HTML of text: of what `src/transcript/html` wrote, which escapes everything that
 * comes from a session. The policy of the page (Trusted Types) allows it here and nowhere else.
 */

interface Policy {
  createHTML(html: string): unknown;
}

interface Factory {
  createPolicy(name: string, rules: { readonly createHTML: (html: string) => string }): Policy;
}

const policy = (globalThis as { readonly trustedTypes?: Factory }).trustedTypes?.createPolicy("continuo", {
  createHTML: (html) => html,
});

/** `html` is from `src/transcript/html`. */
export function fillWithHtml(element: Element, html: string): void {
  element.innerHTML = (policy?.createHTML(html) ?? html) as string;
}
