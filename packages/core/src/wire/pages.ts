/**
 * Access for pages of the server, and how both sides prove their identity. A code opens a page once. After that the
 * page proves its identity with a secret that its tab keeps, or, on a host with TLS, with a cookie that no script can
 * read.
 */

/** A page is identified by a code, later by the secret of a tab or by a cookie. */
export type PageKind = "code" | "tab" | "cookie";

/** The content of a token's label, for a token that the server made for a page. */
export interface PageLabel {
  readonly kind: PageKind;
  /** The token that the page was opened with. */
  readonly parentId: string;
}

/** The beginning of labels that only Continuo gives to tokens. */
export const OWN_LABELS = "continuo:";
/** The label of the token that the command line uses by default. */
export const LOOPBACK_LABEL = "continuo:loopback";

export function pageLabel({ kind, parentId }: PageLabel): string {
  return `${OWN_LABELS}page-${kind}:${parentId}`;
}

/** Returns `null` for the label of any other token. */
export function parsePageLabel(label: string | null): PageLabel | null {
  const [, kind, parentId] = /^continuo:page-(code|tab|cookie):([\w-]+)$/u.exec(label ?? "") ?? [];
  return kind === undefined || parentId === undefined ? null : { kind: kind as PageKind, parentId };
}

/** The body of `POST /v1/pages/cookie`. */
export interface PageRequest {
  readonly code: string;
  /** A random text that only one tab knows, so that only this tab can send the code again. */
  readonly nonce: string;
}

/** The answer to a `PageRequest`. */
export interface PageEntry {
  readonly expiresAt: string;
  /** The secret that the tab sends as bearer; `null` if the browser received a cookie. */
  readonly secret: string | null;
  /** The key with which the server identifies itself to this page; `null` if it has none. */
  readonly proofKey: string | null;
}

/** A page sends a nonce in `NONCE_HEADER`. The server answers with its proof in `PROOF_HEADER`. */
export const NONCE_HEADER = "continuo-nonce";
export const PROOF_HEADER = "continuo-proof";

/** 128 random bits or more, in hexadecimal digits or base64url. */
export function isNonce(value: unknown): value is string {
  return typeof value === "string" && /^[\w-]{22,64}$/u.test(value);
}

/** The text whose HMAC-SHA-256 with the page's key is the proof, in hexadecimal digits. */
export function proofText(nonce: string): string {
  return `continuo-proof ${nonce}`;
}
