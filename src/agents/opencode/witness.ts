/** opencode reads a session back: `opencode import` takes it in, `opencode export` gives it out (1.18.33). */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram, type StagedSession, type Witnessed } from "../witness/index.ts";
import { recogniseFile } from "./find.ts";
import { openSession } from "./open.ts";

export async function opencodeWitness(staged: StagedSession): Promise<Witnessed> {
  const { scratch } = staged;
  const config = join(scratch, "config", "opencode");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "opencode.json"), '{"autoupdate":false,"share":"disabled"}', { mode: 0o600 });
  const env = {
    XDG_CONFIG_HOME: join(scratch, "config"),
    XDG_DATA_HOME: join(scratch, "data"),
    XDG_STATE_HOME: join(scratch, "state"),
    XDG_CACHE_HOME: join(scratch, "cache"),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  };
  await runProgram({ staged, args: ["import", staged.file], env });
  const exported = await runProgram({ staged, args: ["export", staged.sessionId], env });
  const copy = join(scratch, "exported.json");
  writeFileSync(copy, exported.slice(exported.indexOf("{")), { mode: 0o600 });
  const found = await recogniseFile(copy);
  if (found === null) return { by: "opencode export", depth: "all", messages: [] };
  using opened = await openSession(found, staged.home, {});
  return { by: "opencode export", depth: "all", messages: await Array.fromAsync(opened.history()) };
}
