/** The labels of tokens that the server makes for itself; people cannot give these. */

import { SERVER_LOGS } from "../../wire/index.ts";

export const OWN_LABELS = "continuo:";
/** Opens a page once. */
export const CODE_LABEL = "continuo:page-code";
/** The cookie of a page. */
export const PAGE_LABEL = "continuo:page";
/** The token that the command line finds by itself. */
export const LOOPBACK_LABEL = "continuo:loopback";

/** Where a used code is claimed, by a name that begins so. */
export const USED_CODES: string = `${SERVER_LOGS}page-codes`;
