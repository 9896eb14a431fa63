/** `GET /v1/audit`: the audit log of a token's workspace, newest first, without secrets of known forms. */

import { AUDIT_ACTS, type AuditAct, ContinuoError, present } from "@continuo/core/model";
import { maskAuditEntry } from "@continuo/core/transcript/secrets";
import { z } from "zod";
import type { CreateMount } from "../context/index.ts";

const MAX_ENTRIES = 1_000;
const QUERY = z.strictObject({
  since: z.iso.datetime({ offset: true }).optional(),
  who: z.string().min(1).max(512).optional(),
  what: z.enum(Object.keys(AUDIT_ACTS) as [AuditAct, ...AuditAct[]]).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_ENTRIES).optional(),
  cursor: z.string().max(1_000).optional(),
});

export const audit: CreateMount = (context) => ({
  routes: (app) => {
    app.get("/v1/audit", async (c) => {
      const { grant } = c.var;
      context.require(grant, { kind: "admin" });
      const query = QUERY.safeParse(c.req.query());
      if (!query.success) throw refused(query.error.issues[0]);
      const { items, nextCursor } = await context.store(grant.workspaceId).listAudit(present(query.data));
      const entries = items.map(maskAuditEntry);
      return Response.json({ entries, nextCursor }, { headers: { "cache-control": "no-store" } });
    });
  },
});

function refused(
  issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined,
): Error {
  const name = issue?.path.join(".") ?? "";
  return new ContinuoError("invalid", `the parameter ${JSON.stringify(name)} is refused: ${issue?.message}`, {
    hint: "Use since, who, what, limit and cursor, as docs/server.md describes them.",
  });
}
