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
 * The server's answer to this page. `out`: it must be opened again. `stranger`: the answer is not from the server that let
 * the page in, and gets nothing more from it.
 */
export const access = signal<"in" | "out" | "stranger">("in");

/** Answers the requests of a page with a session inside; `null` in a page of a server. */
let answer: ((path: string) => unknown) | null = null;

export function answerFrom(inside: (path: string) => unknown): void {
  answer = inside;
}

/** True if the page has its session inside: it cannot search, change or follow anything. */
export function isSaved(): boolean {
  return answer !== null;
}

export interface Ask {
  readonly signal?: AbortSignal;
  readonly body?: unknown;
}

export async function ask<T>(path: string, { signal: stop, body }: Ask = {}): Promise<T> {
  if (answer !== null) return answer(path) as T;
  const response = await request(path, {
    method: body === undefined ? "GET" : "POST",
    body: body === undefined ? null : JSON.stringify(body),
    headers: { "content-type": "application/json" },
    signal: stop ?? null,
  });
  if (response.ok) return (await response.json()) as T;
  throw await toError(response);
}

/**
 * A request with what lets the page in. What a server says that did not prove itself is not returned. Errors:
 * `unavailable`.
 */
export async function request(
  path: string,
  { headers, ...init }: Omit<RequestInit, "headers"> & { headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  if (access.value !== "in") throw noAnswer();
  const key = passOfTab()?.proofKey;
  // A part of its own: not every server proves itself.
  const proofs = key && (await import("./proof.ts"));
  // biome-ignore lint/complexity/useOptionalChain: an empty key leaves a text here, which has no such function.
  const nonce = proofs && proofs.newNonce();
  const sent = { ...headers, ...passHeaders(), ...(nonce && { [NONCE_HEADER]: nonce }) };
  const response = await fetch(path, { ...init, headers: sent }).catch((cause: unknown) => {
    if (init.signal?.aborted === true) throw cause;
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

/** Nothing of the pass stays: its server is gone, or does not know it any more. */
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

/** An error as one line. */
export function sayError(error: unknown): string {
  const { message = String(error), hint } = error as Partial<ServerError>;
  return hint ? `${message}. ${hint}` : message;
}
