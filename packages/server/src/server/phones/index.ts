/**
 * Phones, at `/v1/machine/phones`: a person lets a phone view the sessions of this machine, over the person's own
 * tunnel.
 *
 * Promises: a link pairs one phone, within two minutes; the token of a phone limits what it may do, and a phone changes
 * nothing except by an answer that counts only once; a phone that was revoked is signed out within a second; only a
 * token with `machine:write` can pair, and no phone has such a token.
 * Does not know: the tunnel, and what the server of the phones answers.
 */

import { ContinuoError } from "@continuo/core/model";
import { MACHINE_ROOT, PHONE_NAME_CHARS, type PhoneService } from "@continuo/core/wire/machine";
import { z } from "zod";
import type { CreateMount, Grant } from "../context/index.ts";
import { readJsonObject } from "../http/index.ts";

export { createPhones } from "./phones.ts";

const PATH = `${MACHINE_ROOT}/phones`;
const PAIR = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(PHONE_NAME_CHARS)
    .regex(/^\P{Cc}*$/u),
  rights: z.enum(["read", "answer"]),
});

/** On a server without an address for phones, the paths do not exist. */
export const phones: CreateMount = (context) => {
  const asked = (grant: Grant): PhoneService => {
    context.require(grant, { kind: "machine", access: "write" });
    if (context.phones !== undefined) return context.phones;
    throw new ContinuoError("not_found", "this server has no address for phones", {
      hint: "Start the viewer with `continuo view --tunnel https://HOST`.",
    });
  };
  return {
    routes: (app) => {
      app.get(PATH, async (c) => Response.json(await asked(c.var.grant).list()));
      app.post(PATH, async (c) => {
        const service = asked(c.var.grant);
        const parsed = PAIR.safeParse(await readJsonObject(c.req.raw));
        if (!parsed.success) throw invalid(parsed.error.issues[0]?.message);
        return Response.json(await service.pair(parsed.data), { status: 201 });
      });
      app.post(`${PATH}/:id/revoke`, async (c) => {
        const service = asked(c.var.grant);
        await readJsonObject(c.req.raw);
        await service.revoke(c.req.param("id"));
        return Response.json({});
      });
    },
  };
};

function invalid(why = "it is not complete"): ContinuoError {
  return new ContinuoError("invalid", `cannot pair a phone: ${why}`, {
    hint: 'Send `{ "name": TEXT, "rights": "read" }`, or `"answer"`.',
  });
}
