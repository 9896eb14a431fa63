/** The person's configuration of opencode, as far as a policy must know it (1.18.33). */

import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { isJson, type Json, type Places, parseCommented, readSmallFile } from "@continuo/files";

/** Each of the person's own configurations, in the order in which opencode reads them. Errors: `unreadable`. */
export function ownConfigurations(places: Places): readonly Json[] {
  const files = filesOf(places).flatMap((file) => {
    const text = readSmallFile(file);
    return text === null ? [] : [parse(text, file)];
  });
  return [...files, contentOf(places)];
}

/** `OPENCODE_CONFIG_CONTENT`: a configuration in the environment. Errors: `unreadable`. */
export function contentOf({ env }: Places): Json {
  const content = env.OPENCODE_CONFIG_CONTENT ?? "";
  return content === "" ? {} : parse(content, "OPENCODE_CONFIG_CONTENT");
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

function parse(text: string, file: string): Json {
  const value = parseCommented(text);
  if (value !== null && isJson(value)) return value;
  throw new ContinuoError(
    "unreadable",
    `cannot read ${file}: Continuo needs it to enforce the policy in opencode`,
    { hint: "Correct the file, or choose another policy." },
  );
}
