/**
 * Access for the browser extension (`/v1/extension/*`), on a server that only its machine reaches: the extension asks,
 * a person answers on a page, and the extension collects a token for continuous sessions.
 *
 * Promises: the page is for the user who runs the server, is opened by the browser itself, and cannot be framed; the
 * token is given once, to the extension that asked; its origin may send requests from then on.
 * Does not know: what the extension does with its access.
 */

import { ContinuoError, isContinuoError, listAll, type Store } from "@continuo/core/model";
import {
  EXTENSION_PROTOCOL,
  EXTENSION_SCOPE,
  type ExtensionAccess,
  type ExtensionRequested,
  extensionLabel,
  extensionOriginOf,
  isExtensionOrigin,
} from "@continuo/core/wire";
import { readVersion } from "@continuo/files";
import { areEqual, assertSameUser } from "../auth/index.ts";
import { type CreateMount, LIMITS, type Peer, type ServerContext } from "../context/index.ts";
import { readJsonObject } from "../http/index.ts";
import { PAGE_HEADERS, pageOf } from "./page.ts";
import { WaitingRequests } from "./requests.ts";

const NO_STORE = { "cache-control": "no-store" };
const WORKSPACE = "default";

export const extension: CreateMount = (context) => {
  if (context.reach !== "machine") return {};
  const requests = new WaitingRequests();
  return {
    publicRoutes: (app) => {
      app.post("/v1/extension/requests", async (c) => {
        const origin = extensionOf(c.req.raw);
        const isTold = await sameUser(c.env.peer, context);
        const { version, site } = asked(await readJsonObject(c.req.raw));
        const request = requests.open({ origin, version, site }, { hasCode: !isTold });
        if (request.code !== null) context.report(`the code for the extension that asks: ${request.code}`);
        const answer: ExtensionRequested = {
          requestId: request.requestId,
          secret: request.secret,
          page: `/extension/${request.requestId}`,
          expiresAt: new Date(Date.now() + LIMITS.extensionRequestMs).toISOString(),
          protocol: EXTENSION_PROTOCOL,
          version: readVersion(),
        };
        return Response.json(answer, { status: 201, headers: NO_STORE });
      });
      app.get("/extension/:id", async (c) => {
        await sameUser(c.env.peer, context);
        assertOpenedByPerson(c.req.raw);
        const request = requests.find(c.req.param("id"));
        const access = (await isOpenToAll(c.env.peer, context)) ? "everything" : "sessions";
        return new Response(pageOf(request, access), { headers: PAGE_HEADERS });
      });
      app.post("/v1/extension/requests/:id/answer", async (c) => {
        assertOwnPage(c.req.raw);
        await sameUser(c.env.peer, context);
        const { nonce, isGranted, code } = await readJsonObject(c.req.raw);
        // The body can take time to arrive, so the request is checked after it: it may have ended in the meantime.
        const request = requests.find(c.req.param("id"));
        if (request.state !== "waiting" || typeof nonce !== "string" || !areEqual(nonce, request.nonce)) {
          throw new ContinuoError("forbidden", "this page cannot answer the extension", {
            hint: "Connect in the extension again.",
          });
        }
        if (isGranted === true && request.code !== null && !areEqual(String(code), request.code)) {
          context.guessed(c.env.peer);
          throw new ContinuoError("forbidden", "the code is wrong", {
            hint: "Look for it in the terminal of `continuo serve`.",
          });
        }
        request.state = isGranted === true ? "granted" : "refused";
        return new Response(null, { status: 204, headers: NO_STORE });
      });
      app.post("/v1/extension/requests/:id/token", async (c) => {
        const origin = extensionOf(c.req.raw);
        const { secret } = await readJsonObject(c.req.raw);
        const request = requests.find(c.req.param("id"));
        if (origin !== request.origin || typeof secret !== "string" || !areEqual(secret, request.secret)) {
          context.guessed(c.env.peer);
          throw new ContinuoError("forbidden", "only the extension that asked can collect the answer");
        }
        if (request.state === "waiting") return access({ state: "waiting" });
        // Nothing was awaited since the request was found, so only one response has the answer.
        requests.close(request);
        if (request.state === "refused") return access({ state: "refused" });
        return access(await grant(origin, c.env.peer, context));
      });
    },
  };
};

function access(answer: ExtensionAccess): Response {
  return Response.json(answer, { headers: NO_STORE });
}

async function grant(origin: string, peer: Peer, context: ServerContext): Promise<ExtensionAccess> {
  const store = context.tokens(WORKSPACE, { who: "anyone", from: peer.address });
  const { secret, expiresAt } = await store.createToken({
    scopes: [EXTENSION_SCOPE],
    label: extensionLabel(origin),
    issuedFrom: "loopback",
    expiresAt: new Date(Date.now() + LIMITS.extensionTokenMs).toISOString(),
  });
  context.allowOrigin(origin);
  return { state: "granted", token: secret, expiresAt };
}

/** The origins of the extensions that have access. */
export async function extensionOrigins(store: Pick<Store, "listTokens">): Promise<readonly string[]> {
  const origins = new Set<string>();
  for await (const { label, state } of listAll((place) => store.listTokens({ limit: 1_000, ...place }))) {
    const origin = state === "active" ? extensionOriginOf(label) : null;
    if (origin !== null) origins.add(origin);
  }
  return [...origins];
}

/** Returns the origin of the sender, which a page of a website cannot choose. Errors: `forbidden`. */
function extensionOf(request: Request): string {
  const origin = request.headers.get("origin");
  if (isExtensionOrigin(origin)) return origin;
  throw new ContinuoError("forbidden", "only an extension of a browser can ask for access here", {
    hint: "Run `continuo token create` for other programs.",
  });
}

/** Errors: `forbidden`, `unsupported` for another version. */
function asked({ protocol, version, site }: Readonly<Record<string, unknown>>): {
  readonly version: string;
  readonly site: string | null;
} {
  const name = typeof version === "string" && /^[\w.+-]{1,40}$/u.test(version) ? version : "?";
  if (protocol !== EXTENSION_PROTOCOL) {
    const isOld = typeof protocol !== "number" || protocol < EXTENSION_PROTOCOL;
    throw new ContinuoError(
      "unsupported",
      `version ${name} of the extension does not fit version ${readVersion()} of the server`,
      {
        hint: isOld
          ? "Run `continuo extension`, and load the extension from the folder that it prints."
          : "Run `npm install --global continuo@latest`, and start the server again.",
        details: { protocol: EXTENSION_PROTOCOL, version: readVersion() },
      },
    );
  }
  const isSite =
    typeof site === "string" && site.length <= 300 && /^https?:/u.test(site) && URL.canParse(site);
  return { version: name, site: isSite ? new URL(site).origin : null };
}

/**
 * Returns `true` if the system reports that the connection belongs to the user who runs the server. Errors:
 * `forbidden`.
 */
async function sameUser(peer: Peer, context: ServerContext): Promise<boolean> {
  try {
    return await assertSameUser(peer, context);
  } catch (error) {
    if (isContinuoError(error, "forbidden")) {
      context.security.record("page_refused", { address: peer.address, reason: error.message });
    }
    throw error;
  }
}

/** Returns true on a server that requires no token, where a sender with an allowed origin may do everything. */
async function isOpenToAll(peer: Peer, { authenticate }: ServerContext): Promise<boolean> {
  try {
    await authenticate({ sentAs: "header" }, peer);
    return true;
  } catch (error) {
    if (isContinuoError(error, "unauthorized")) return false;
    throw error;
  }
}

/**
 * Refuses a request that a page of another site caused, by a link or a window; browsers report this. Errors:
 * `forbidden`.
 */
function assertOpenedByPerson({ headers }: Request): void {
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "none" || site === "same-origin") return;
  throw new ContinuoError("forbidden", "a page of another site cannot open this page", {
    hint: "Connect in the extension.",
  });
}

/** Errors: `forbidden`. */
function assertOwnPage({ headers, url }: Request): void {
  const origin = headers.get("origin");
  const host = headers.get("host") ?? new URL(url).host;
  const site = headers.get("sec-fetch-site");
  if (origin === `http://${host}` && (site === null || site === "same-origin")) return;
  throw new ContinuoError("forbidden", "only the page of this server can answer an extension");
}
