/** The efforts that a model of Codex has. Seen in 0.169.0. */

import { isJson, type Json } from "@continuo/files";
import { isRefusal } from "../process/index.ts";
import type { CallLimits, CodexServer } from "./server.ts";

/**
 * Returns the efforts of the model. A model that is not in the list has the efforts of all models together; without a
 * list there are none.
 */
export async function effortsOf(
  server: CodexServer,
  model: string | null,
  limits: CallLimits,
): Promise<readonly string[]> {
  const models = await modelsOf(server, limits);
  const own = models.filter((one) => one.model === model || one.id === model);
  return [...new Set((own.length === 0 ? models : own).flatMap(effortsIn))];
}

async function modelsOf(server: CodexServer, limits: CallLimits): Promise<readonly Json[]> {
  try {
    const { data } = await server.call("model/list", { includeHidden: true }, limits);
    return (Array.isArray(data) ? data : []).filter(isJson);
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}

function effortsIn({ supportedReasoningEfforts: efforts }: Json): readonly string[] {
  const names = (Array.isArray(efforts) ? efforts : []).filter(isJson).map((one) => one.reasoningEffort);
  return names.filter((name) => typeof name === "string");
}
