/** Reads JSON from outside without trusting its shape. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list; anything else in it is left out. */
export function asObjects(value: unknown): readonly JsonObject[] {
  return asList(value).filter((item) => typeof item === "object" && item !== null) as JsonObject[];
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The text of a content that is a string, or a list of parts that may have a `text`. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  return asList(content)
    .map((part) => (typeof part === "string" ? part : asText(asObject(part).text)))
    .join("");
}
