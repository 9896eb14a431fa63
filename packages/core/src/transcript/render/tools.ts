/** A tool call in a few words. */

/** The arguments that say what a call is about, most telling first; seen in the tools of the agents. */
const TELLING = [
  "command",
  "cmd",
  "file_path",
  "filePath",
  "path",
  "absolute_path",
  "pattern",
  "query",
  "url",
  "description",
  "skill",
  "name",
  "message",
  "prompt",
  "input",
];

/** The argument that tells a call from others of its tool; `null` where it has none. Not yet made visible. */
export function mainArgument(args: Readonly<Record<string, unknown>>): string | null {
  for (const key of TELLING) {
    const text = toText(args[key]);
    if (text !== null) return text;
  }
  for (const value of Object.values(args)) {
    const text = toText(value);
    if (text !== null) return text;
  }
  return Object.keys(args).length === 0 ? null : JSON.stringify(args);
}

function toText(value: unknown): string | null {
  if (typeof value === "string" && value.trim() !== "") return value;
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string")) {
    return value.join(" ");
  }
  return null;
}
