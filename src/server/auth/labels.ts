/** The labels of tokens that the server makes for itself; people cannot use these labels. */

import { SERVER_LOGS } from "../../wire/index.ts";

export const OWN_LABELS = "continuo:";
/** The code that opens a page once. */
export const CODE_LABEL = "continuo:page-code";
/** The cookie of a page. */
export const PAGE_LABEL = "continuo:page";
/** The token that the command line finds without a flag. */
export const LOOPBACK_LABEL = "continuo:loopback";

/** The prefix of the claims for used codes. */
export const USED_CODES: string = `${SERVER_LOGS}page-codes`;
