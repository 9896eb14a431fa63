/**
 * Pages of the server in a browser. The holder of a token requests a code and opens the page with the code in the
 * fragment of the URL, which no server sees. The page exchanges the code, once, for a cookie that scripts cannot read.
 */

import { createHash, randomUUID } from "node:crypto";
import { ContinuoError, isContinuoError, type Store, type Token } from "../../model/index.ts";
import { formatScope, readOnly } from "../../wire/index.ts";
import { type CreateMount, type Grant, LIMITS, type ServerContext } from "../context/index.ts";
import { readJsonObject } from "../http/index.ts";
import { setCookie } from "./cookie.ts";
import { CODE_LABEL, PAGE_LABEL, USED_CODES } from "./labels.ts";

export const pages: CreateMount = (context) => ({
  publicRoutes: (app) => {
    app.post("/v1/pages/cookie", (c) => exchange(c.req.raw, context));
  },
  routes: (app) => {
    app.post("/v1/pages/code", (c) => issueCode(narrowed(c.var.grant, c.req.queries("access")), context));
    app.delete("/v1/pages/cookie", (c) => leave(c.req.raw, c.var.grant, context));
  },
});

async function issueCode(grant: Grant, context: ServerContext): Promise<Response> {
  const { tokenId, workspaceId } = grant;
  if (tokenId === null) return Response.json({ code: null, expiresAt: null });
  const expiresAt = new Date(Date.now() + LIMITS.codeMs).toISOString();
  const code = await issue(context.tokens(workspaceId), grant, { label: CODE_LABEL, expiresAt });
  return Response.json(
    { code: code.secret, expiresAt },
    { status: 201, headers: { "cache-control": "no-store" } },
  );
}

/** The page gets the access of its token, or only read access. Errors: `invalid`. */
function narrowed(grant: Grant, access: readonly string[] | undefined): Grant {
  if (access === undefined) return grant;
  if (access.length === 1 && access[0] === "read") return { ...grant, scopes: readOnly(grant.scopes) };
  throw new ContinuoError("invalid", "the access of a page can only be `read`", {
    hint: "Leave `access` out for all that the token allows.",
  });
}

async function exchange(request: Request, context: ServerContext): Promise<Response> {
  if (request.headers.get("origin") === null) {
    throw new ContinuoError("forbidden", "only a page can exchange a code");
  }
  const { code } = await readJsonObject(request);
  const token = typeof code === "string" ? await context.tokens("default").authenticate(code) : null;
  if (token === null || token.label !== CODE_LABEL) throw badCode();
  const store = context.tokens(token.workspaceId);
  await useOnce(store, token);
  const expiresAt = new Date(Date.now() + LIMITS.cookieSeconds * 1000).toISOString();
  const page = await store.createToken({
    ...holderOf(token),
    scopes: token.scopes,
    issuedFrom: token.issuedFrom,
    label: PAGE_LABEL,
    expiresAt,
  });
  const cookie = setCookie(page.secret, { maxAgeSeconds: LIMITS.cookieSeconds, url: new URL(request.url) });
  return Response.json({ expiresAt }, { headers: { "set-cookie": cookie, "cache-control": "no-store" } });
}

async function leave(
  request: Request,
  { tokenId, workspaceId }: Grant,
  context: ServerContext,
): Promise<Response> {
  const store = context.tokens(workspaceId);
  if (tokenId !== null && (await store.getToken(tokenId))?.label === PAGE_LABEL)
    await store.revokeToken(tokenId);
  const cookie = setCookie("", { maxAgeSeconds: 0, url: new URL(request.url) });
  return new Response(null, { status: 204, headers: { "set-cookie": cookie } });
}

/** If several requests send the same code at once, to any servers, only the first succeeds. Errors: `unauthorized`. */
async function useOnce(store: Store, { tokenId }: Token): Promise<void> {
  await store.createLog({ logId: USED_CODES });
  const name = `${USED_CODES}/${createHash("sha256").update(tokenId).digest("hex")}`;
  try {
    await store.append(USED_CODES, [], {
      also: [{ type: "claim", name, generation: 1, owner: randomUUID(), status: "used" }],
    });
  } catch (error) {
    if (isContinuoError(error, "fenced")) throw badCode();
    throw error;
  }
  await store.revokeToken(tokenId);
}

function issue(
  store: Store,
  { scopes, handle }: Grant,
  more: { readonly label: string; readonly expiresAt: string },
): ReturnType<Store["createToken"]> {
  const issuedFrom = scopes.some(({ kind }) => kind === "machine") ? "loopback" : "network";
  return store.createToken({ ...holderOf({ handle }), scopes: scopes.map(formatScope), issuedFrom, ...more });
}

function holderOf({ handle }: Pick<Grant, "handle">): { readonly handle?: string } {
  return handle === null ? {} : { handle };
}

function badCode(): ContinuoError {
  return new ContinuoError("unauthorized", "the code was used, has expired, or is not a code", {
    hint: "Open the page again with the command that printed the URL.",
  });
}
