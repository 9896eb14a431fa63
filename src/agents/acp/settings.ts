/** The model and the mode that a session is to have. */

import { ContinuoError, type OpenConversation } from "../../model/index.ts";
import { isJson, type Json } from "../reader/index.ts";
import type { AcpConnection, Asking } from "./connection.ts";

interface Settings {
  readonly open: OpenConversation;
  readonly model?: string;
  readonly sessionId: string;
  /** What the session was opened with: it names the options that there are. */
  readonly answer: Json;
  readonly asking: Asking;
}

/** Errors: `unsupported` where the agent offers no such choice: another model is not taken in silence. */
export async function chooseSettings(connection: AcpConnection, settings: Settings): Promise<void> {
  const { open, model, asking } = settings;
  for (const [category, value] of [
    ["model", model],
    ["mode", open.mode],
  ] as const) {
    if (value === undefined) continue;
    const call = callFor(category, value, settings);
    if (call === null)
      throw new ContinuoError("unsupported", `The agent offers no choice of its ${category}.`);
    await connection.call(call.method, call.params, asking);
  }
}

/** By the session's options where it has them, else by the older methods. */
function callFor(
  category: "model" | "mode",
  value: string,
  { answer, sessionId }: Settings,
): { readonly method: string; readonly params: Json } | null {
  const options = Array.isArray(answer.configOptions) ? answer.configOptions : [];
  const option = options.find((one) => isJson(one) && (one.category === category || one.id === category));
  if (isJson(option) && typeof option.id === "string") {
    const params = { sessionId, configId: option.id, value };
    return { method: "session/set_config_option", params };
  }
  if (category === "mode" && isJson(answer.modes)) {
    return { method: "session/set_mode", params: { sessionId, modeId: value } };
  }
  if (category === "model" && isJson(answer.models)) {
    return { method: "session/set_model", params: { sessionId, modelId: value } };
  }
  return null;
}
