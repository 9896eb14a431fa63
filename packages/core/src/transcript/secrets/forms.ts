/** Secrets without a vendor: private keys, web tokens, passwords in URLs, and values whose name says what they are. */

import { key, type SecretFamily } from "./family.ts";

/** Placeholders that writers put in place of a secret. */
const PLACEHOLDER = /^(?:[$<{%*]|xxxx|\.{3}|your|process\.|os\.|env\.)/iu;

/** Names such as `token` are often followed by values that are not secret: paths, addresses, words. */
function isNamedSecret(secret: string): boolean {
  if (/^(?:[/~.]|https?:)/u.test(secret) || PLACEHOLDER.test(secret)) return false;
  return /\d/u.test(secret) && /[A-Za-z]/u.test(secret);
}

const NAMES =
  "api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|secret|token|password|passwd|credential";

/** Names of fields whose value is masked because of the name. */
export const SECRET_NAME: RegExp = new RegExp(`(?:${NAMES})|authorization`, "iu");

/**
 * Prefixes of the lines of a private key: line numbers and marks, which programs that show files add. `\n` may be an
 * escape of JSON.
 */
const LINE = String.raw`(?:(?:\r?\n|(?:\\r)?\\n)[ \t]{0,40}(?:\d{1,6}[:→|\t-]|\d{1,6}\\t|[+>|-])?[ \t]{0,4})`;
const BEGIN = `-----BEGIN (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----`;
const HEADERS = String.raw`(?:${LINE}{1,2}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): [^\n\\]{0,200})*`;
const FIRST = `(?:${LINE}|[ ]){0,3}[A-Za-z0-9+/=]{20,}`;
const END = `(?:${LINE}|[ ])?-----END [A-Z0-9 ]{1,40}-----`;
const MORE = `(?:${LINE}{1,2}[A-Za-z0-9+/=]+(?![A-Za-z0-9+/=:→|\\t])|[ ][A-Za-z0-9+/=]{20,}|[ ][A-Za-z0-9+/=]{1,80}(?=${END}))`;

export const FORMS_OF_SECRETS: readonly SecretFamily[] = [
  // RFC 7468 and RFC 4880, even if the end was cut off.
  {
    name: "private key",
    hints: ["PRIVATE KEY"],
    pattern: new RegExp(`${BEGIN}${HEADERS}${FIRST}${MORE}*(?:${END})?`, "gu"),
  },
  // RFC 7519: a header and a payload that are JSON objects.
  key(
    "JSON web token",
    ["eyJ"],
    /(?<!-)eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{0,2000}/u,
  ),
  // RFC 3986: `scheme://user:password@host`.
  {
    name: "password",
    hints: ["://"],
    pattern: /:\/\/[^\s:@/"'<>\\]{0,100}:(?<secret>[^\s@/"'<>\\]{3,200})@/gu,
    isSecret: (secret) => !PLACEHOLDER.test(secret),
  },
  // RFC 9110.
  {
    name: "authorization",
    pattern:
      /authorization[\\"']{0,3}\s{0,2}[:=]\s{0,2}[\\"']{0,3}(?:bearer|basic|token|digest)\s{1,2}(?<secret>[A-Za-z0-9_+/=.~-]{8,})/giu,
    isSecret: (secret) => !PLACEHOLDER.test(secret),
  },
  // `AWS_SECRET_ACCESS_KEY=…`, `"clientSecret": "…"`, `x-api-key: …`: for vendors whose keys have no form.
  {
    name: "secret",
    pattern: new RegExp(
      String.raw`(?:${NAMES})(?:[_-][a-z0-9_-]{0,30})?[\\"']{0,3}\s{0,2}(?:=>|[=:])\s{0,2}[\\"']{0,3}(?<secret>[A-Za-z0-9_+/=.~!@#%^&*-]{16,})`,
      "giu",
    ),
    isSecret: isNamedSecret,
  },
];
