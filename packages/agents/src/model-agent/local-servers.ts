/** Finds servers of models on this machine at their default ports. */

import { boundedJson } from "./bounded-json.ts";

export interface LocalServer {
  readonly name: string;
  readonly port: number;
  /** The value of `owned_by` that identifies the server, because other programs often use its port. */
  readonly ownedBy?: string;
}

export const LOCAL_SERVERS: readonly LocalServer[] = [
  { name: "Ollama", port: 11_434 },
  { name: "LM Studio", port: 1_234 },
  { name: "vLLM", port: 8_000, ownedBy: "vllm" },
];

export interface FoundServer {
  readonly name: string;
  /** The address for `models` of continuo.yaml. */
  readonly url: string;
  /** At most 100. */
  readonly models: readonly string[];
}

/** A port without a listener fails at once; a server on a busy machine needs longer. */
const ANSWER_MS = 1_500;
const MAX_BYTES = 1_000_000;
const MAX_MODELS = 100;
const MAX_NAME = 200;

/** Asks all ports at the same time. Ignores ports that do not answer in time, and those of other programs. */
export async function findLocalServers(
  servers: readonly LocalServer[] = LOCAL_SERVERS,
): Promise<readonly FoundServer[]> {
  const found = await Promise.all(servers.map((server) => ask(server).catch(() => null)));
  return found.filter((server) => server !== null);
}

async function ask({ name, port, ownedBy }: LocalServer): Promise<FoundServer | null> {
  const url = `http://127.0.0.1:${port}/v1`;
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(`${url}/models`, { signal, redirect: "error" });
  if (!answer.ok) return null;
  const list = modelsIn(await boundedJson(answer, MAX_BYTES));
  if (list === null || (ownedBy !== undefined && list.every((model) => model.ownedBy !== ownedBy)))
    return null;
  return { name, url, models: list.slice(0, MAX_MODELS).map(({ id }) => id) };
}

interface ListedModel {
  readonly id: string;
  readonly ownedBy: unknown;
}

/** `null` if another program answered. */
function modelsIn(answer: unknown): readonly ListedModel[] | null {
  const { data } = (answer ?? {}) as { readonly data?: unknown };
  // Ollama answers null if it has no model.
  if (data === null) return [];
  if (!Array.isArray(data)) return null;
  return data.flatMap((model: { readonly id?: unknown; readonly owned_by?: unknown } | null) =>
    typeof model?.id === "string" && model.id.length <= MAX_NAME
      ? [{ id: model.id, ownedBy: model.owned_by }]
      : [],
  );
}
