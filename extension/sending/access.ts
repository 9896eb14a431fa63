/** Access to a server: requested by the extension, granted by a person on a page of the server, and checked. */

import { ContinuoError, isContinuoError } from "@continuo/core/model";
import {
  EXTENSION_PROTOCOL,
  type ExtensionAccess,
  type ExtensionRequested,
  errorFromWire,
} from "@continuo/core/wire";
import { LIMITS } from "../limits.ts";
import type { Server } from "../messages/messages.ts";
import { isFields } from "./items.ts";
import { baseUrl, requestJson } from "./requests.ts";

export interface AccessRequest {
  readonly serverUrl: string;
  /** The version of the extension. */
  readonly version: string;
  /** The site that the person looks at. */
  readonly site: string | null;
}

/** Errors: `unavailable` when nothing answers, `forbidden` or `unsupported` when the server cannot be used. */
export async function requestAccess({
  serverUrl,
  version,
  site,
}: AccessRequest): Promise<ExtensionRequested> {
  const body = { protocol: EXTENSION_PROTOCOL, version, site };
  const answer = await post(serverUrl, "/v1/extension/requests", body);
  const { requestId, secret, page, protocol } = isFields(answer) ? answer : {};
  const isWhole = typeof requestId === "string" && typeof secret === "string" && typeof page === "string";
  if (!isWhole || !/^\/extension\/[\w-]+$/u.test(page)) throw otherProgram(serverUrl);
  if (protocol !== EXTENSION_PROTOCOL) {
    throw new ContinuoError("unsupported", "the server is of a version that does not fit this extension", {
      hint: "Run `npm install --global continuo@latest`, and start `continuo serve` again.",
    });
  }
  return answer as ExtensionRequested;
}

/** Errors: `not_found` when nobody answered in time. */
export async function collectAccess(
  serverUrl: string,
  { requestId, secret }: Pick<ExtensionRequested, "requestId" | "secret">,
): Promise<ExtensionAccess> {
  const path = `/v1/extension/requests/${encodeURIComponent(requestId)}/token`;
  return (await post(serverUrl, path, { secret })) as ExtensionAccess;
}

/** Errors: those of the server; `unauthorized` for a wrong token, `unavailable`, `forbidden` for a refused origin. */
export async function checkServer(server: Server): Promise<void> {
  try {
    await requestJson(server, "GET", "/v1/live?limit=1");
  } catch (error) {
    throw isUnreached(error) ? await whyUnreached(server.serverUrl) : error;
  }
}

async function post(serverUrl: string, path: string, body: unknown): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(`${baseUrl(serverUrl)}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(LIMITS.accessMs),
      body: JSON.stringify(body),
    });
  } catch {
    throw await whyUnreached(serverUrl);
  }
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer;
  if (isFields(answer) && isFields(answer.error)) throw errorFromWire(answer, response.status);
  throw otherProgram(serverUrl);
}

function isUnreached(error: unknown): boolean {
  return isContinuoError(error, "unavailable") && error.cause !== undefined;
}

/**
 * Finds out why the server was not reached. A page cannot read the answer of a server that does not accept it, but it
 * learns that a server exists.
 */
async function whyUnreached(serverUrl: string): Promise<ContinuoError> {
  try {
    const signal = AbortSignal.timeout(LIMITS.accessMs);
    await fetch(`${baseUrl(serverUrl)}/healthz`, { mode: "no-cors", cache: "no-store", signal });
  } catch {
    return new ContinuoError("unavailable", `no Continuo server answers at ${baseUrl(serverUrl)}`, {
      hint: "Run `continuo serve` in a terminal, and leave it open.",
    });
  }
  return otherProgram(serverUrl);
}

function otherProgram(serverUrl: string): ContinuoError {
  return new ContinuoError(
    "forbidden",
    `the program at ${baseUrl(serverUrl)} is not a Continuo server that accepts this extension`,
    {
      hint: `Run the newest Continuo on this machine, or start a server elsewhere with \`--origin ${location.origin}\` and enter a token of it.`,
    },
  );
}
