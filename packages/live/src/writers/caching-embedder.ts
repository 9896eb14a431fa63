/** An embedder that remembers vectors, because the same notes are compared many times. */

import { ContinuoError } from "@continuo/core/model";
import { type Embedder, LIMITS } from "../kit/index.ts";

type Vector = readonly number[];

/** Errors: those of the embedder; `agent_failed` for an answer without a vector for each text. */
export function cachingEmbedder(embedder: Embedder): Embedder {
  const known = new Map<string, Vector>();
  return {
    name: embedder.name,
    threshold: embedder.threshold,
    embed: async (texts, options) => {
      const asked = [...new Set(texts)].filter((text) => !known.has(text));
      const vectors = asked.length === 0 ? [] : await embedder.embed(asked, options);
      if (vectors.length !== asked.length || !vectors.every(isVector)) {
        throw new ContinuoError("agent_failed", `${embedder.name} returned no vector for some texts`);
      }
      const found = new Map(asked.map((text, n) => [text, vectors[n] ?? []]));
      const result = texts.map((text) => found.get(text) ?? known.get(text) ?? []);
      for (const [text, vector] of found) known.set(text, vector);
      for (const text of known.keys()) {
        if (known.size <= LIMITS.rememberedVectors) break;
        known.delete(text);
      }
      return result;
    },
  };
}

function isVector(vector: unknown): boolean {
  return Array.isArray(vector) && vector.length > 0 && vector.every(Number.isFinite);
}
