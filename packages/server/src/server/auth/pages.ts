/**
 * Pages of the server in a browser. The holder of a token requests a code and opens the page with the code in the
 * fragment of the URL, which no server sees. The page exchanges the code once. Over TLS the browser gets a cookie that
 * scripts cannot read; without TLS cookies would go to every port of the host, so the tab gets a secret of its own.
 */

import { createHash } from "node:crypto";
import { ContinuoError, isContinuoError, present, type Store, type Token } from "@continuo/core/model";
import {
  ANY_HANDLE,
  formatScope,
  isNonce,
  type PageEntry,
  pageLabel,
  parsePageLabel,
  readOnly,
  SERVER_LOGS,
} from "@continuo/core/wire";
import {
  type CreateMount,
  type Grant,
  LIMITS,
  PAGE_LIVES,
  type Peer,
  type ServerContext,
} from "../context/index.ts";
import { readJsonObject } from "../http/index.ts";
import { setCookie } from "./cookie.ts";
import { principalOf } from "./principal.ts";
import { assertSameUser } from "./same-user.ts";

/** The prefix of the claims for used codes. */
export const USED_CODES: string = `${SERVER_LOGS}page-codes`;

export const pageAccess: CreateMount = (context) => ({
  publicRoutes: (app) => {
    app.post("/v1/pages/cookie", async (c) => {
      const { address } = c.env.peer;
      try {
        return await exchange(c.req.raw, c.env.peer, context);
      } catch (error) {
        if (isContinuoError(error, "unauthorized") || isContinuoError(error, "forbidden")) {
          context.security.record("page_refused", { address, reason: error.message });
        }
        if (isContinuoError(error, "unauthorized")) context.guessed(c.env.peer);
        throw error;
      }
    });
  },
  routes: (app) => {
    app.post("/v1/pages/code", (c) => issueCode(narrowed(c.var.grant, c.req.queries("access")), context));
    app.delete("/v1/pages/cookie", (c) => leave(c.req.raw, c.var.grant, context));
    // A page asks this to be sure that the server is the one that opened it.
    app.get("/v1/pages/proof", () => new Response(null, { status: 204, headers: NO_STORE }));
  },
});

const NO_STORE = { "cache-control": "no-store" };

async function issueCode(grant: Grant, context: ServerContext): Promise<Response> {
  const { tokenId, workspaceId, scopes, handle, page } = grant;
  if (tokenId === null) return Response.json({ code: null, expiresAt: null, host: null });
  if (page !== null) {
    throw new ContinuoError("forbidden", "a page cannot open another page", {
      hint: "Run `continuo view`, or send the token that the page was opened with.",
    });
  }
  const store = context.tokens(workspaceId, principalOf(grant));
  const expiresAt = earlier(LIMITS.codeMs, await store.getToken(tokenId));
  const code = await store.createToken({
    ...present({ handle: handle ?? undefined, anyHandle: handle === ANY_HANDLE }),
    scopes: scopes.map(formatScope),
    issuedFrom: scopes.some(({ kind }) => kind === "machine") ? "loopback" : "network",
    label: pageLabel({ kind: "code", parentId: tokenId }),
    expiresAt,
  });
  context.security.record("code_issued", { address: grant.peer.address, tokenId, workspaceId });
  const host = context.pageName ?? null;
  return Response.json({ code: code.secret, expiresAt, host }, { status: 201, headers: NO_STORE });
}

/** The page gets the access of its token, or only read access. Errors: `invalid`. */
function narrowed(grant: Grant, access: readonly string[] | undefined): Grant {
  if (access === undefined) return grant;
  if (access.length === 1 && access[0] === "read") return { ...grant, scopes: readOnly(grant.scopes) };
  throw new ContinuoError("invalid", "the access of a page can only be `read`", {
    hint: "Leave `access` out for all that the token allows.",
  });
}

/** The end of a token with this lifetime, but not later than the end of the other token. */
function earlier(lifeMs: number, other: Token | null): string {
  const end = Date.now() + lifeMs;
  const otherEnd = other?.expiresAt ?? null;
  return new Date(otherEnd === null ? end : Math.min(end, Date.parse(otherEnd))).toISOString();
}

async function exchange(request: Request, peer: Peer, context: ServerContext): Promise<Response> {
  const origin = request.headers.get("origin");
  if (origin === null) throw new ContinuoError("forbidden", "only a page can exchange a code");
  const { code, nonce } = await readJsonObject(request);
  if (!isNonce(nonce)) {
    throw new ContinuoError("invalid", "the nonce of the tab must be 22 to 64 characters of base64url");
  }
  const token = typeof code === "string" ? await context.tokens("default").authenticate(code) : null;
  const label = parsePageLabel(token?.label ?? null);
  if (token === null || label?.kind !== "code") throw badCode();
  const { parentId } = label;
  const store = context.tokens(token.workspaceId, principalOf({ ...token, page: label, peer }));
  const parent = await store.getToken(parentId);
  if (parent?.state !== "active") throw badCode();
  if (!isOfPage(origin, context)) {
    await store.revokeToken(token.tokenId);
    context.report(
      `warning: refused a code that was sent from ${origin}, which is not the address of the page`,
    );
    throw new ContinuoError("forbidden", "the page of this server has another address", {
      hint: "Run `continuo view` with the address of the page.",
    });
  }
  // Called only for a correct code, because this reads the connections of the whole machine.
  await assertSameUser(peer, context);
  const kind = hasOwnTls(origin, request, context) ? "cookie" : "tab";
  const page = await store.createToken({
    ...present({ handle: token.handle ?? undefined, anyHandle: token.handle === ANY_HANDLE }),
    scopes: token.scopes,
    issuedFrom: token.issuedFrom,
    label: pageLabel({ kind, parentId }),
    expiresAt: earlier(PAGE_LIVES[context.pagesOf].lifeMs, parent),
  });
  await useOnce({ code: token, nonce, pageId: page.tokenId }, store, context.report);
  const { tokenId, workspaceId } = page;
  await context.pageUse.opened({ tokenId, workspaceId, parentId });
  if (context.pagesOf === "phone")
    context.report("a phone was paired: `continuo view` lists it under Phones");
  context.security.record("page_opened", { address: peer.address, tokenId, parentId, workspaceId });
  const expiresAt = page.expiresAt ?? "";
  if (kind === "tab") {
    const { secretOf, proofKeyOf } = context.pageKeys;
    const entry: PageEntry = { expiresAt, secret: secretOf(page), proofKey: proofKeyOf(page.tokenId) };
    return Response.json(entry, { headers: NO_STORE });
  }
  const maxAgeSeconds = Math.floor((Date.parse(expiresAt) - Date.now()) / 1000);
  const cookie = setCookie(page.secret, { maxAgeSeconds, url: new URL(request.url) });
  const entry: PageEntry = { expiresAt, secret: null, proofKey: null };
  return Response.json(entry, { headers: { ...NO_STORE, "set-cookie": cookie } });
}

/**
 * A page at another address may belong to a stranger: a program that had the port before, or that has it at another
 * address now.
 */
function isOfPage(origin: string, { pageName }: ServerContext): boolean {
  return pageName === undefined || (URL.canParse(origin) && new URL(origin).hostname === pageName);
}

/**
 * Returns true if the page belongs to the server and came over TLS, which may end in a proxy: the browser states this
 * in the origin.
 */
function hasOwnTls(origin: string, { headers, url }: Request, { publicUrl }: ServerContext): boolean {
  const host = headers.get("host") ?? new URL(url).host;
  const isOwn = origin === `https://${host}`;
  return (
    isOwn || (publicUrl !== undefined && origin === new URL(publicUrl).origin && /^https:/u.test(origin))
  );
}

/** The name of the claim that exists after the code was used. */
export function usedCodeName({ tokenId }: Pick<Token, "tokenId">): string {
  return `${USED_CODES}/${createHash("sha256").update(tokenId).digest("hex")}`;
}

interface UsedCode {
  readonly code: Token;
  readonly nonce: string;
  readonly pageId: string;
}

/**
 * If several tabs send the same code, to any servers, only the first succeeds, and its page ends when the second one
 * sends it: one of the two stole the code. The same tab may send it again, because it may not have received the answer.
 * Errors: `unauthorized`.
 */
async function useOnce({ code, nonce, pageId }: UsedCode, store: Store, report: Report): Promise<void> {
  const name = usedCodeName(code);
  const owner = createHash("sha256").update(nonce).digest("hex");
  const before = await store.getClaim(name);
  try {
    await store.putClaim({ name, generation: 1, owner, status: "used", data: { pageId } });
  } catch (error) {
    await store.revokeToken(pageId);
    if (!isContinuoError(error, "fenced")) throw error;
    await revokePage(store, await store.getClaim(name));
    await store.revokeToken(code.tokenId);
    report("warning: two tabs sent the code of one page: the first one is signed out too");
    throw badCode();
  }
  await revokePage(store, before);
}

type Report = ServerContext["report"];

async function revokePage(store: Store, claim: Awaited<ReturnType<Store["getClaim"]>>): Promise<void> {
  const { pageId } = (claim?.data ?? {}) as { readonly pageId?: unknown };
  if (typeof pageId === "string") await store.revokeToken(pageId);
}

async function leave(
  request: Request,
  { tokenId, workspaceId, page, peer }: Grant,
  context: ServerContext,
): Promise<Response> {
  if (tokenId !== null && page !== null) {
    await context.tokens(workspaceId, principalOf({ tokenId, page, peer })).revokeToken(tokenId);
    await context.pageUse.closed({ tokenId, workspaceId, parentId: page.parentId });
    context.security.record("page_closed", { address: peer.address, tokenId, workspaceId });
  }
  const cookie = setCookie("", { maxAgeSeconds: 0, url: new URL(request.url) });
  return new Response(null, {
    status: 204,
    headers: page?.kind === "cookie" ? { "set-cookie": cookie } : {},
  });
}

function badCode(): ContinuoError {
  return new ContinuoError("unauthorized", "the code was used, has expired, or is not a code", {
    hint: "Open the page again with the command that printed the URL.",
  });
}
