/** Requests to the server of the page. */

import { NONCE_HEADER, PROOF_HEADER } from "@continuo/core/wire";
import { signal } from "@preact/signals";
import { keepPass, passHeaders, passOfTab } from "./pass.ts";

/** An error from the server, with its code, message and hint. */
export class ServerError extends Error {
  readonly code: string;
  readonly hint: string | null;

  constructor(code: string, message: string, hint: string | null) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/**
 * The server's answer about the access of this page. `out`: the page must be opened again. `stranger`: the answer is
 * not from the server that opened the page, and the page sends that server nothing more.
 */
export const access = signal<"in" | "out" | "stranger">("in");

/** True while the server does not answer: no action is possible then. */
export const isLost = signal(false);

let onDoubt: () => void = () => undefined;

/** Sets the function that is called after a request without an answer. */
export function whenDoubtful(look: () => void): void {
  onDoubt = look;
}

/** Answers the requests of a page that contains a session; `null` in a page of a server. */
let answer: ((path: string) => unknown) | null = null;

export function answerFrom(inside: (path: string) => unknown): void {
  answer = inside;
}

/** True if the page contains its session: it cannot search, change or follow anything. */
export function isSaved(): boolean {
  return answer !== null;
}

export interface Ask {
  readonly signal?: AbortSignal;
  readonly body?: unknown;
  /** Left out: `POST` with a body, otherwise `GET`. */
  readonly method?: "PUT" | "DELETE";
  /** `kept` for a list that is requested repeatedly: the server sends it only if it has changed. */
  readonly answer?: "kept";
}

interface KeptAnswer {
  readonly tag: string;
  readonly value: unknown;
}

/** The answers of the lists, by their paths. */
const kept = new Map<string, KeptAnswer>();
const MOST_KEPT = 8;

export async function ask<T>(
  path: string,
  { signal: stop, body, method, answer: kind }: Ask = {},
): Promise<T> {
  if (answer !== null) return answer(path) as T;
  const known = kind && kept.get(path);
  const response = await request(path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    body: body === undefined ? null : JSON.stringify(body),
    headers: { "content-type": "application/json", ...(known && { "if-none-match": known.tag }) },
    signal: stop ?? null,
  });
  if (known && response.status === 304) return known.value as T;
  if (!response.ok) throw await toError(response);
  const value: unknown = await response.json();
  const tag = response.headers.get("etag");
  if (kind && tag !== null) {
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(path, { tag, value });
  }
  return value as T;
}

/**
 * Sends a request with the credentials of the page. The answer of a server that did not prove itself is not returned.
 * Errors: `unavailable`.
 */
export async function request(
  path: string,
  { headers, ...init }: Omit<RequestInit, "headers"> & { headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  if (access.value !== "in") throw noAnswer();
  const key = passOfTab()?.proofKey;
  // This code is loaded separately, because not every server proves itself.
  const proofs = key && (await import("./proof.ts"));
  // biome-ignore lint/complexity/useOptionalChain: an empty key leaves a text here, which has no such function.
  const nonce = proofs && proofs.newNonce();
  const sent = { ...headers, ...passHeaders(), ...(nonce && { [NONCE_HEADER]: nonce }) };
  const response = await fetch(path, { ...init, headers: sent }).catch((cause: unknown) => {
    if (init.signal?.aborted === true) throw cause;
    onDoubt();
    throw noAnswer();
  });
  const proof = response.headers.get(PROOF_HEADER);
  const isProven = !proofs || !nonce || (await proofs.isProof(proof, { key, nonce }));
  if (response.status === 401) leave("out");
  else if (!isProven && response.ok) leave("stranger");
  if (isProven) return response;
  void response.body?.cancel();
  throw noAnswer();
}

/** Deletes the pass, because its server is gone or no longer accepts it. */
function leave(state: "out" | "stranger"): void {
  keepPass(null);
  access.value = state;
}

function noAnswer(): ServerError {
  return new ServerError("unavailable", "the server does not answer", "Start Continuo again.");
}

export async function toError(response: Response): Promise<ServerError> {
  const answer: unknown = await response.json().catch(() => null);
  const { error } = (answer ?? {}) as { error?: { code?: string; message?: string; hint?: string } };
  return new ServerError(
    error?.code ?? "internal",
    error?.message ?? `the server answered ${response.status}`,
    error?.hint ?? null,
  );
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Returns an error as one line. */
export function sayError(error: unknown): string {
  const { message = String(error), hint } = error as Partial<ServerError>;
  return hint ? `${message}. ${hint}` : message;
}
