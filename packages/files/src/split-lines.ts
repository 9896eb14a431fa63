/**
 * Splits a stream of bytes into lines. Only a line feed ends a line: `node:readline` also splits at U+2028, which JSON
 * text may contain.
 */

export interface LineOptions {
  /** Longer lines are yielded as `null`. */
  readonly maxChars: number;
  /** Called with each line before it is yielded. */
  readonly onLine?: (line: string | null) => void;
}

/**
 * Yields lines without their line feed and a carriage return before it. Text after the last line feed is a line too.
 */
export async function* splitLines(
  stream: AsyncIterable<Uint8Array>,
  { maxChars, onLine }: LineOptions,
): AsyncGenerator<string | null> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let size = 0;
  const take = (text: string): void => {
    size += text.length;
    if (size <= maxChars) parts.push(text);
    else parts = [];
  };
  const line = (): string | null => {
    const whole = size > maxChars ? null : parts.join("").replace(/\r$/u, "");
    parts = [];
    size = 0;
    onLine?.(whole);
    return whole;
  };
  for await (const bytes of stream) {
    const text = decoder.decode(bytes, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      take(text.slice(start, end));
      yield line();
      start = end + 1;
    }
    if (start < text.length) take(text.slice(start));
  }
  take(decoder.decode());
  if (size > 0) yield line();
}
