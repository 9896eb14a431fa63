/** The data of server-sent events, read from the body of a response. */

const DATA = "data: ";

/**
 * Yields the data of each event as text, until the stream ends or the signal aborts. An event has one line of data, as
 * Continuo sends it. Errors: that of a connection that broke.
 *
 * @param onBytes called whenever something arrives, such as the comment with which the server keeps the connection open
 */
export async function* eventData(
  response: Response,
  signal: AbortSignal,
  onBytes: () => void = () => undefined,
): AsyncGenerator<string, void> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const leave = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      onBytes();
      const [first = "", ...others] = value.split("\n");
      rest += first;
      if (others.length === 0) continue;
      const lines = [rest, ...others];
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith(DATA)) yield line.slice(DATA.length);
    }
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}
