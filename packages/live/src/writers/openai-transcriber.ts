/** Transcripts from an endpoint with the API of OpenAI. */

import { assertKnownOptions, present } from "@continuo/core/model";
import { type AudioChunk, isFields, type TranscribedSegment, type Transcriber } from "../kit/index.ts";
import { callEndpoint, ENDPOINT, type OpenAiEndpoint } from "./openai.ts";

/** Errors: `unavailable`, `agent_failed`. */
export function openAiTranscriber(endpoint: OpenAiEndpoint): Transcriber {
  assertKnownOptions("openAiTranscriber", endpoint, ENDPOINT);
  return {
    name: endpoint.model,
    transcribe: async (chunk, { signal }) => {
      const { mediaType, lang } = chunk;
      const body = new FormData();
      const ending = mediaType === "audio/wav" ? "wav" : "webm";
      body.set("file", new File([new Uint8Array(chunk.bytes)], `speech.${ending}`, { type: mediaType }));
      body.set("model", endpoint.model);
      body.set("response_format", "verbose_json");
      // ISO 639-1, without a region.
      if (lang !== undefined) body.set("language", lang.split("-")[0] ?? lang);
      const answer = await callEndpoint(endpoint, "/audio/transcriptions", { body, signal });
      return present({ segments: segmentsOf(answer, chunk), lang });
    },
  };
}

/** Times are in seconds from the beginning of the chunk. An endpoint without segments returns only the text. */
function segmentsOf(
  { segments, text }: Readonly<Record<string, unknown>>,
  { startMs, endMs }: AudioChunk,
): readonly TranscribedSegment[] {
  const parts = Array.isArray(segments) ? segments.filter(isFields) : [];
  if (parts.length === 0) return typeof text === "string" ? [{ text, startMs, endMs }] : [];
  return parts.map((part) => ({
    text: String(part.text ?? ""),
    startMs: startMs + Math.round(Number(part.start ?? 0) * 1_000),
    endMs: startMs + Math.round(Number(part.end ?? 0) * 1_000),
  }));
}
