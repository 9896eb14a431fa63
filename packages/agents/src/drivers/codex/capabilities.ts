/**
 * The capabilities of this `codex app-server`: it lists its methods in the error about a method that does not exist.
 */

import type { SessionCapabilities } from "@continuo/core/model";
import { isJson } from "@continuo/files";
import { type KnownCapabilities, NO_CAPABILITIES } from "../link/index.ts";
import { isRefusal } from "../process/index.ts";
import type { CallLimits, CodexServer } from "./server.ts";

/** The answer is -32600 with `unknown variant …, expected one of …` (0.169.0); other refusals have the same code. */
export async function askCapabilities(server: CodexServer, limits: CallLimits): Promise<KnownCapabilities> {
  try {
    await server.call("continuo/methods", {}, limits);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { answer } = (error as Error & { details: { answer: unknown } }).details;
    const message = isJson(answer) ? String(answer.message) : "";
    return { capabilities: capabilitiesIn(message), version: server.version };
  }
  return { capabilities: NO_CAPABILITIES, version: server.version };
}

/** Pure. */
function capabilitiesIn(refusal: string): SessionCapabilities {
  const methods = new Set([...refusal.matchAll(/`([^`]+)`/gu)].map(([, method]) => method));
  const canList = methods.has("thread/list");
  const canResume = methods.has("thread/resume");
  return {
    canList,
    canResume,
    // `thread/resume` can return all turns, but Continuo's reader already has them.
    canLoad: false,
    canContinueLast: canResume && canList,
    canFork: methods.has("thread/fork"),
    canClose: true,
    canDelete: methods.has("thread/delete"),
  };
}
