/**
 * Authentication: tokens, the pages that are opened with them (`/v1/pages/*`), and limits per token.
 *
 * Promises: a secret is never logged, and only the answer that issues it contains it; repeated wrong tokens are
 * slowed down; a page can do no more and lives no longer than its token; memory is bounded.
 * Does not know: the purpose of a request.
 */

export { allowEverybody, createAuthenticate, createGuesses } from "./authenticate.ts";
export { Buckets } from "./buckets.ts";
export { credentialsOf, pageCredentialsOf, socketCredentials } from "./credentials.ts";
export { handlesOf, noHandle, requireHandle } from "./handles.ts";
export { areEqual, createPageKeys, withPageKeys } from "./page-keys.ts";
export { createPageUse, PAGE_USES, withPageConnections, withPageUse } from "./page-use.ts";
export { pageAccess, USED_CODES, usedCodeName } from "./pages.ts";
export { principalOf } from "./principal.ts";
export { createQuotas } from "./quotas.ts";
export { assertSameUser } from "./same-user.ts";
export { createTokenWatch } from "./token-watch.ts";
