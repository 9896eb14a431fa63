/**
 * The types by which the browser extension gets access to a server of its machine: it asks, a person grants the access
 * on a page of the server, and the extension collects the token with a secret that nobody else has. The token allows
 * only continuous sessions.
 */

import { OWN_LABELS } from "./pages.ts";

/** An extension and a server are compatible if both have this number. */
export const EXTENSION_PROTOCOL = 1;

/** The scope that an extension gets. */
export const EXTENSION_SCOPE = "live:*:read,write";

/** The body of `POST /v1/extension/requests`. The origin of the request identifies its sender. */
export interface ExtensionRequest {
  readonly protocol: number;
  /** The version of the extension, and the site on which the person pressed its button; both are only shown. */
  readonly version: string;
  readonly site: string | null;
}

/** The answer to an `ExtensionRequest`. */
export interface ExtensionRequested {
  readonly requestId: string;
  /** The secret that collects the token. */
  readonly secret: string;
  /** The path of the page on which the person answers. */
  readonly page: string;
  readonly expiresAt: string;
  readonly protocol: number;
  /** The version of the server. */
  readonly version: string;
}

/** The body of `POST /v1/extension/requests/ID/answer`, which the page sends. */
export interface ExtensionDecision {
  readonly nonce: string;
  readonly isGranted: boolean;
  /**
   * A code that the server printed in its terminal, if the system does not report the owner of a connection; otherwise
   * `""`.
   */
  readonly code: string;
}

/** The body of `POST /v1/extension/requests/ID/token`. */
export interface ExtensionCollection {
  readonly secret: string;
}

/** The answer to an `ExtensionCollection`; only one answer contains the token. */
export type ExtensionAccess =
  | { readonly state: "waiting" | "refused" }
  | { readonly state: "granted"; readonly token: string; readonly expiresAt: string | null };

const LABEL = `${OWN_LABELS}extension:`;

/** Returns true for the origin of an extension of a browser. */
export function isExtensionOrigin(origin: string | null): origin is string {
  return (
    origin !== null && /^(?:chrome-extension:\/\/[a-p]{32}|moz-extension:\/\/[\da-f-]{36})$/u.test(origin)
  );
}

/** Returns the label of the token of an extension, which contains the origin of the extension. */
export function extensionLabel(origin: string): string {
  return `${LABEL}${origin}`;
}

/** Returns `null` for the label of any other token. */
export function extensionOriginOf(label: string | null): string | null {
  const origin = label?.startsWith(LABEL) ? label.slice(LABEL.length) : null;
  return isExtensionOrigin(origin) ? origin : null;
}
