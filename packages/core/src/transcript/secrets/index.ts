/**
 * Secrets in texts: keys, tokens and passwords of known forms, replaced by the names of their kinds.
 *
 * Promises: pure, linear in the length of the text. Only known forms are found: a password in a sentence, or a key that
 * was encoded or cut into pieces, stays.
 * Does not know: sessions, files, the network; no key is tried.
 */

export { type MaskedValue, maskAuditEntry, maskSecrets, type SecretCounts, sumSecrets } from "./mask.ts";
