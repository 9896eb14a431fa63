/**
 * A stream of bytes as lines. They end at a line feed and nowhere else: `node:readline` also splits at U+2028,
 * which JSON may hold as it is.
 */

export interface LineOptions {
  /** Longer lines are cut off and given as `null`. */
  readonly maxChars: number;
  /** Called with each line before it is given. */
  readonly onLine?: (line: string | null) => void;
}

/** Without their line feeds and carriage returns. Text after the last line feed is a line, too. */
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
