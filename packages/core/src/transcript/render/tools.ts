/** Describes a tool call in a few words. */

/** Names of arguments that describe a call, the most descriptive first, as the tools of the agents have them. */
const DESCRIPTIVE_ARGUMENTS = [
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

/** The argument that distinguishes a call from others of its tool, not escaped; `null` without arguments. */
export function mainArgument(args: Readonly<Record<string, unknown>>): string | null {
  for (const key of DESCRIPTIVE_ARGUMENTS) {
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
