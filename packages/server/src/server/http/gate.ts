/** Makes the first checks of every request: its host, its origin, and that its URL contains no token. Pure. */

import { ContinuoError } from "@continuo/core/model";
import { isExtensionOrigin } from "@continuo/core/wire";

export interface Gate {
  /** The exact origins whose pages may send requests. */
  readonly origins: ReadonlySet<string>;
  /** The host names under which the server answers; every name if it is left out. */
  readonly hosts?: ReadonlySet<string>;
  /** True if another program mounts the server as a handler. */
  readonly isMounted?: boolean;
  /** True if clients reach the server over `https:` only. */
  readonly isHttps?: boolean;
  /** True if browser extensions may ask for access: their requests below `EXTENSION_PATH` pass, with any id. */
  readonly takesExtensions?: boolean;
}

/** The paths at which an extension asks for access. */
const EXTENSION_PATH = "/v1/extension/";

/** The origin that a request names. */
export interface Arrival {
  readonly url: string;
  readonly host: string | null;
  readonly origin: string | null;
  /** Says which page sends the request. The browser sets it, and no page can change it. */
  readonly fetched?: FetchMetadata;
}

/** The headers `Sec-Fetch-Site`, `Sec-Fetch-Mode` and `Sec-Fetch-Dest`. */
export interface FetchMetadata {
  readonly site: string | null;
  readonly mode: string | null;
  readonly dest: string | null;
}

/** @param headerOf returns a header of the request by its name in lower case */
export function fetchMetadataOf(headerOf: (name: string) => string | null): FetchMetadata {
  return {
    site: headerOf("sec-fetch-site"),
    mode: headerOf("sec-fetch-mode"),
    dest: headerOf("sec-fetch-dest"),
  };
}

/** Errors (returned): `unauthorized` for a token in the URL, `forbidden` for a foreign host or origin. */
export function gateRefusal(gate: Gate, arrival: Arrival): ContinuoError | undefined {
  if (holdsToken(arrival.url)) {
    return new ContinuoError("unauthorized", "a URL must not contain a token", {
      hint: "Send it as `Authorization: Bearer TOKEN`; revoke this one, since URLs are logged.",
    });
  }
  if (!isKnownHost(gate, arrival.host)) {
    return new ContinuoError("forbidden", "the server does not have this host name", {
      hint: "Use the address of the server; other host names are refused to protect it from web pages.",
      details: { host: arrival.host },
    });
  }
  if (isHiddenPage(arrival)) {
    return new ContinuoError(
      "forbidden",
      "a page of another site cannot call the server without its origin",
      {
        hint: "Send the request with `fetch`, which names the origin of the page.",
      },
    );
  }
  if (isKnownOrigin(gate, arrival)) return undefined;
  return new ContinuoError("forbidden", "pages of this origin cannot call the server", {
    hint: originHint(gate, isPlain(arrival.origin) ? arrival.origin : null),
    ...(gate.isMounted === true ? ({ hintFor: "program" } as const) : {}),
    details: { origin: arrival.origin },
  });
}

/**
 * Returns true for a page of another site whose browser does not name its origin, because the page loads an image or a
 * frame. Returns false if a person follows a link.
 */
function isHiddenPage({ origin, fetched }: Arrival): boolean {
  if (origin !== null || fetched?.site !== "cross-site") return false;
  return !(fetched.mode === "navigate" && fetched.dest === "document");
}

/** Names an option in the hint for a program that mounts the server; otherwise it names a flag of the command. */
function originHint({ isMounted = false }: Gate, origin: string | null): string {
  if (isMounted) {
    return origin === null
      ? "Add this origin, exactly, to the option `origins` of `c.handler`."
      : `Add ${JSON.stringify(origin)} to the option \`origins\` of \`c.handler\`.`;
  }
  return origin === null
    ? "Start the server with --origin and this origin, exactly."
    : `Start the server with \`--origin ${origin}\`.`;
}

function isPlain(origin: string | null): boolean {
  return origin !== null && /^[a-z-]{1,30}:\/\/[\w.:[\]-]{1,300}$/u.test(origin);
}

/** Returns true if a part of the URL is a token, or is named like one, even if it is escaped several times. */
function holdsToken(url: string): boolean {
  let text = url;
  for (let times = 0; times < MAX_ESCAPES; times++) {
    if (SECRET.test(text) || NAMED_AS_TOKEN.test(text)) return true;
    const decoded = text.replace(/%([0-9a-f]{2})/giu, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (decoded === text) return false;
    text = decoded;
  }
  return false;
}

const MAX_ESCAPES = 4;
/** The prefix of every secret of this server, with the id of its token. */
const SECRET = /continuo_[0-9a-f]{32}_/iu;
const NAMED_AS_TOKEN = /[?&;](?:token|access_token|authorization|bearer)=/iu;

/** Accepts names below `localhost`, because browsers resolve them to this machine without a name server. */
function isKnownHost({ hosts }: Gate, host: string | null): boolean {
  if (hosts === undefined || host === null) return hosts === undefined;
  const name = host.replace(/:\d+$/u, "").toLowerCase();
  return hosts.has(name) || (hosts.has("localhost") && name.endsWith(".localhost"));
}

/** Returns true also for a page of the server itself: its origin is the host of the request. */
export function isKnownOrigin(gate: Gate, { url, origin, host }: Arrival): boolean {
  if (origin === null || gate.origins.has(origin)) return true;
  if (host !== null && (origin === `http://${host}` || origin === `https://${host}`)) return true;
  return gate.takesExtensions === true && isExtensionOrigin(origin) && pathOf(url).startsWith(EXTENSION_PATH);
}

function pathOf(url: string): string {
  return URL.canParse(url, "http://server") ? new URL(url, "http://server").pathname : "";
}

export const METHODS = "GET, HEAD, POST, PUT, DELETE, OPTIONS";
const REQUEST_HEADERS =
  "authorization, content-type, if-none-match, stream-seq, stream-ttl, stream-expires-at, stream-closed, " +
  "stream-forked-from, stream-fork-offset, stream-fork-sub-offset, producer-id, producer-epoch, producer-seq";
const RESPONSE_HEADERS =
  "etag, location, retry-after, stream-next-offset, stream-cursor, stream-up-to-date, stream-closed, stream-ttl, " +
  "stream-expires-at, stream-sse-data-encoding, producer-epoch, producer-seq, producer-expected-seq, " +
  "producer-received-seq";

/**
 * An answer without its own policy loads nothing, runs nothing and cannot be framed, even if it is opened as a page.
 */
export const POLICY_HEADER = "content-security-policy";
const POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** The headers of every answer, even to bytes that are not a request. */
export function plainHeaders({ isHttps = false }: Pick<Gate, "isHttps">): Readonly<Record<string, string>> {
  return {
    [POLICY_HEADER]: POLICY,
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    // Browsers ignore this header if the connection has no TLS.
    ...(isHttps ? { "strict-transport-security": "max-age=31536000; includeSubDomains" } : {}),
  };
}

/** The headers of every response. A page may read the response only if its origin is known. */
export function guardHeaders(gate: Gate, arrival: Arrival): Readonly<Record<string, string>> {
  const headers = plainHeaders(gate);
  if (arrival.origin === null || !isKnownOrigin(gate, arrival)) return headers;
  return {
    ...headers,
    vary: "origin",
    "access-control-allow-origin": arrival.origin,
    "access-control-expose-headers": RESPONSE_HEADERS,
  };
}

/** The answer to a preflight lists the allowed methods and headers; requests of a foreign origin are still refused. */
export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-methods": METHODS,
  "access-control-allow-headers": REQUEST_HEADERS,
  "access-control-max-age": "600",
};
