/**
 * The shared part of the routes of the machine: access to the service, which checks the token, and checks of
 * parameters.
 */

import { type AuditAct, ContinuoError } from "@continuo/core/model";
import type { MachinePermission } from "@continuo/core/wire";
import type { MachineService } from "@continuo/core/wire/machine";
import type { Context } from "hono";
import { z } from "zod";
import { principalOf } from "../auth/index.ts";
import type { ServerContext, ServerEnv } from "../context/index.ts";
import { readJsonObject } from "../http/index.ts";

export type Call = Context<ServerEnv>;

/** Errors: `forbidden`; `not_found` on a server without a machine. */
export type MachineAccess = (c: Call, access: MachinePermission) => Promise<MachineService>;

/**
 * Parses the query. A parameter may occur only once, except those in `lists`. Errors: `invalid` for a parameter that
 * occurs twice, or that the schema refuses.
 */
export function parseQuery<Schema extends z.ZodType>(
  c: Call,
  schema: Schema,
  lists: readonly string[] = [],
): z.output<Schema> {
  const values: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(c.req.queries())) {
    if (given.length > 1 && !lists.includes(name)) throw refused([{ path: [name], message: "given twice" }]);
    values[name] = lists.includes(name) ? given : given[0];
  }
  return parseInput(values, schema);
}

/** Errors: `invalid`. */
export function parseInput<Schema extends z.ZodType>(value: unknown, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refused(parsed.error.issues);
}

/** Errors: `invalid`, `too_large`. */
export async function bodyOf<Schema extends z.ZodType>(
  c: Call,
  schema: Schema,
  maxBytes?: number,
): Promise<z.output<Schema>> {
  return parseInput(await readJsonObject(c.req.raw, maxBytes), schema);
}

/**
 * Records an action in the audit log before it happens, because an action outside of the store cannot share its
 * transaction.
 */
export async function recordAct(
  c: Call,
  context: ServerContext,
  what: AuditAct,
  target: string = keyOf(c),
): Promise<void> {
  const { grant } = c.var;
  await context.store(grant.workspaceId, principalOf(grant)).recordAudit({ what, target });
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function refused(issues: readonly Issue[]): ContinuoError {
  const [first] = issues;
  const name = first?.path.join(".") ?? "";
  return new ContinuoError("invalid", `the parameter ${JSON.stringify(name)} is refused: ${first?.message}`, {
    hint: "See docs/viewer.md for the parameters of each path.",
    details: { issues: issues.slice(0, 10).map(({ path, message }) => ({ path: path.join("."), message })) },
  });
}

/** The session that the path names. */
export function keyOf(c: Call): string {
  return parseInput(c.req.param("key"), NAME);
}

/** A name from a session may have any characters: its key, an id of a message, a path in a message. */
export const NAME: z.ZodString = z.string().min(1).max(1_000);
export const WORDS: z.ZodString = z.string().max(500);
export const COUNT: z.ZodPipe<z.ZodString, z.ZodTransform<number, string>> = z
  .string()
  .regex(/^\d{1,9}$/u, "must be a whole number")
  .transform(Number);
