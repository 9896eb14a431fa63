/** Resumes a thread whose file names no model provider, because Continuo or an old version wrote it. */

import { isJson, type Json, textField } from "@continuo/files";
import { isRefusal } from "../process/index.ts";
import type { CallLimits, CodexServer } from "./server.ts";

/** Codex's default, if its configuration names no provider. */
const DEFAULT_PROVIDER = "openai";

/**
 * Codex's index has an empty name for such a thread, and app-server 0.169.0 then refuses to resume it unless the
 * request names the provider (`codex exec resume` always does). A name that differs from the file's is also refused, so
 * Continuo sends the name only after a refusal. Errors: the first refusal.
 */
export async function askWithProvider(
  server: CodexServer,
  ask: (more: Json) => Promise<Json>,
  limits: CallLimits,
): Promise<Json> {
  try {
    return await ask({});
  } catch (error) {
    if (!isRefusal(error)) throw error;
    try {
      return await ask({ modelProvider: await configuredProvider(server, limits) });
    } catch (again) {
      throw isRefusal(again) ? error : again;
    }
  }
}

async function configuredProvider(server: CodexServer, limits: CallLimits): Promise<string> {
  const { config } = await server.call("config/read", {}, limits);
  return (isJson(config) ? textField(config, "model_provider") : null) ?? DEFAULT_PROVIDER;
}
