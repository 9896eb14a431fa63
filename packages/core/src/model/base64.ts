/**
 * Data in base64, alone and in `data:` addresses. Pure.
 *
 * Texts of many megabytes come here, so no expression repeats over the data: it would need memory for each character,
 * of which an expression has little.
 */

/** True if a text is not empty and has only characters of base64, with at most two `=` at its end. */
export function isBase64(text: string): boolean {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return text.length > padding && !/[^A-Za-z0-9+/]/u.test(text.slice(0, text.length - padding));
}

export interface DataUrl {
  /** Empty if the address has none. */
  readonly mimeType: string;
  readonly data: string;
}

const HEAD = /^data:(?<mimeType>[^,;]{0,200})(?:;[^,]{0,200})?;base64,/u;

/** Returns `null` for an address without data in base64. The data are not checked. */
export function parseDataUrl(url: string): DataUrl | null {
  const head = HEAD.exec(url);
  return head === null ? null : { mimeType: head.groups?.mimeType ?? "", data: url.slice(head[0].length) };
}
