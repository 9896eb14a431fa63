/** A network between a client and a handler that loses requests, answers and connections. */

/** One request in ten does not arrive, one in ten has no answer, and the connection of one in five breaks. */
export function badNetwork(
  handler: (request: Request) => Promise<Response>,
  random: () => number,
): typeof fetch {
  return async (to, init) => {
    const lost = random();
    if (lost < 0.1) throw new TypeError("fetch failed");
    const response = await handler(new Request(to as string, init));
    if (lost < 0.2) {
      await response.body?.cancel();
      throw new TypeError("fetch failed");
    }
    if (lost > 0.4 || response.body === null) return response;
    let left = 1 + Math.floor(8 * random());
    const breaking = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        if (left-- > 0) controller.enqueue(bytes);
        else controller.error(new TypeError("network error"));
      },
    });
    const { status, headers } = response;
    return new Response(response.body.pipeThrough(breaking), { status, headers });
  };
}
