/** The arguments of the routes of one session, and the parsing of places of its log. */

import { ContinuoError } from "@continuo/core/model";
import type { Access } from "@continuo/core/wire";
import type { LiveService } from "@continuo/live";
import type { Context } from "hono";
import type { ServerEnv } from "../context/index.ts";

/** The key and its service, if the token allows access. Errors: `forbidden`. */
export type KeyAccess = (
  c: Context<ServerEnv>,
  access: Access,
) => Promise<{ readonly key: string; readonly service: LiveService }>;

/** Errors: `invalid`. */
export function sequenceOf(text: string | undefined): number {
  if (text !== undefined && /^\d{1,15}$/u.test(text)) return Number(text);
  throw new ContinuoError("invalid", "the sequence must be a whole number from 0");
}
