/** Reads JSON answers up to a limit, because any program could answer at the port of a model server. */

/** `null` for an answer that is longer than `maxBytes`. Errors: those of the connection, and of JSON. */
export async function boundedJson(answer: Response, maxBytes: number): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}
