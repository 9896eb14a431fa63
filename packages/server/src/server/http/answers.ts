/** Answers whose bytes are in memory until they are read: they count against the limit of the request's token. */

import type { Grant, ServerContext } from "../context/index.ts";

export interface SizedAnswer {
  readonly response: Response;
  readonly sizeBytes: number;
}

/**
 * Errors: `rate_limited`, and those of `make`.
 *
 * @param most the largest possible size of the answer in bytes, which is known before the answer is made
 */
export async function countedAnswer(
  { context, grant }: { readonly context: ServerContext; readonly grant: Grant },
  most: number,
  make: () => Promise<SizedAnswer>,
): Promise<Response> {
  const answer = await context.quotas.answer(grant, most);
  const end = (): void => answer[Symbol.dispose]();
  try {
    const { response, sizeBytes } = await make();
    await answer.resize(sizeBytes);
    const { whenAnswered } = grant.peer;
    if (whenAnswered === undefined) end();
    else whenAnswered(end);
    return response;
  } catch (error) {
    end();
    throw error;
  }
}

export function jsonAnswer(value: unknown): SizedAnswer {
  const text = JSON.stringify(value);
  const response = new Response(text, { headers: { "content-type": "application/json" } });
  return { response, sizeBytes: Buffer.byteLength(text) };
}
