/**
 * Authentication: tokens, the cookies of pages, and limits per token.
 *
 * Promises: a secret is never logged, and only the answer that issues it contains it; repeated wrong tokens are
 * slowed down; memory is bounded.
 * Does not know: what a request asks for.
 */

export { allowEverybody, createAuthenticate } from "./authenticate.ts";
export { Buckets } from "./buckets.ts";
export { credentialsOf, pageCredentialsOf, socketCredentials } from "./credentials.ts";
export { LOOPBACK_LABEL, OWN_LABELS, USED_CODES } from "./labels.ts";
export { pages } from "./pages.ts";
export { createQuotas } from "./quotas.ts";
export { createTokenCheck, type TokenCheck } from "./token-check.ts";
