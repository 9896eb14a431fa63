/** The MCP servers that a person configured opencode with: `safe` turns each of them off, by its name (1.18.33). */

import { join } from "node:path";
import { isJson, type Json, type Places, readSmallFile } from "../../files/index.ts";
import { ContinuoError } from "../../model/index.ts";

/** What switches them off, as opencode's configuration says it. Errors: `unreadable` for a file that hides their names. */
export function serversOff(places: Places): Json {
  const names = filesOf(places).flatMap((file) => serversIn(file));
  const own = places.env.OPENCODE_CONFIG_CONTENT ?? "";
  const named = own === "" ? [] : serversOf(parse(own, "OPENCODE_CONFIG_CONTENT"));
  return Object.fromEntries([...names, ...named].map((name) => [name, { enabled: false }]));
}

function filesOf({ home, env }: Places): readonly string[] {
  const folders = [
    join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"),
    join(home, ".opencode"),
    ...(env.OPENCODE_CONFIG_DIR ? [env.OPENCODE_CONFIG_DIR] : []),
  ];
  const files = folders.flatMap((folder) =>
    ["config.json", "opencode.json", "opencode.jsonc"].map((name) => join(folder, name)),
  );
  return env.OPENCODE_CONFIG ? [...files, env.OPENCODE_CONFIG] : files;
}

function serversIn(file: string): readonly string[] {
  const text = readSmallFile(file);
  return text === null ? [] : serversOf(parse(text, file));
}

function serversOf({ mcp }: Json): readonly string[] {
  return isJson(mcp) ? Object.keys(mcp) : [];
}

/** Comments, and commas before a closing bracket, are allowed in these files; strings are left as they are. */
function parse(text: string, file: string): Json {
  const plain = text
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*.*?\*\//gsu, (_, string) => string ?? "")
    .replace(/("(?:[^"\\]|\\.)*")|,(\s*[}\]])/gu, (_, string, closing) => string ?? closing);
  try {
    const value: unknown = JSON.parse(plain);
    if (isJson(value)) return value;
  } catch {
    // Reported below.
  }
  throw new ContinuoError(
    "unreadable",
    `cannot read ${file}: the MCP servers that safe must not start are not known`,
    {
      hint: "Correct the file, or choose another policy.",
    },
  );
}
