/**
 * Continuo as a plugin of opencode: the MCP server, the skill and the commands of `opencode.json` next to this file, wherever the
 * person's own settings have nothing of that name.
 */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));

export const Continuo = async () => ({
  async config(settings) {
    const ours = JSON.parse(readFileSync(join(folder, "opencode.json"), "utf8"));
    settings.mcp = { ...ours.mcp, ...settings.mcp };
    settings.command = { ...ours.command, ...settings.command };
    settings.skills = {
      ...settings.skills,
      paths: [...(settings.skills?.paths ?? []), join(folder, "skills")],
    };
  },
});
