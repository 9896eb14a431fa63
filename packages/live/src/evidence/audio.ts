/** Audio of a speech segment: a complete file, checked and stored before it is acknowledged, and an event about it. */

import { ContinuoError, type NewEvent, present, type Store } from "@continuo/core/model";
import { type AudioChunk, isoOf, LIMITS } from "../kit/index.ts";
import { AUDIO_KIND } from "../state/index.ts";

export interface AudioUpload extends AudioChunk {
  /** The idempotency key of the chunk. */
  readonly id?: string;
}

export interface AudioFields {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly startMs: unknown;
  readonly endMs: unknown;
  readonly lang?: string | undefined;
  /** The speaker, if the page knows it. */
  readonly speaker?: string | undefined;
  readonly videoId?: string | undefined;
  readonly id?: string | undefined;
}

/** Errors: `invalid` for another format and for invalid times, `too_large` over 10 MB. */
export function parseAudio(fields: AudioFields): AudioUpload {
  const { bytes, mediaType, startMs, endMs, lang, speaker, videoId, id } = fields;
  if (bytes.length > LIMITS.audioBytes) {
    throw new ContinuoError("too_large", "the audio has more than 10 MB", {
      details: { limit: LIMITS.audioBytes },
    });
  }
  const format = formatOf(bytes);
  const named = mediaType.split(";")[0]?.trim().toLowerCase();
  if (format === null || format !== (named === "audio/x-wav" ? "audio/wav" : named)) {
    throw new ContinuoError(
      "invalid",
      "the audio is neither WebM nor WAV, or its Content-Type is another one",
      {
        hint: "Send a complete file as audio/webm or audio/wav.",
      },
    );
  }
  const times = [startMs, endMs].map(Number);
  const [start = -1, end = -1] = times;
  if (!times.every((time) => Number.isSafeInteger(time) && time >= 0) || end < start) {
    throw new ContinuoError("invalid", "startMs and endMs must be whole numbers from 0, in this order");
  }
  for (const text of [lang, speaker, videoId, id]) {
    if (text !== undefined && (text === "" || text.length > LIMITS.nameLength)) {
      throw new ContinuoError(
        "invalid",
        `lang, speaker, videoId and id have at most ${LIMITS.nameLength} characters`,
      );
    }
  }
  return present({ bytes, mediaType: format, startMs: start, endMs: end, lang, speaker, videoId, id });
}

/**
 * The event of a chunk whose bytes are stored. It refers to the bytes without pinning them. Errors: those of the store.
 */
export async function audioEvent(store: Store, upload: AudioUpload, nowMs: number): Promise<NewEvent> {
  const { bytes, mediaType, startMs, endMs, lang, speaker, videoId, id } = upload;
  const expiresAt = isoOf(nowMs + LIMITS.audioKeptMs);
  const { hash, sizeBytes } = await store.putBlob(bytes, { mediaType, expiresAt });
  const content = { hash, sizeBytes, mediaType };
  return {
    type: "evidence_added",
    data: present({ kind: AUDIO_KIND, content, mediaTimeMs: startMs, endMs, lang, speaker, videoId }),
    // The audio is the evidence until its transcript exists.
    retention: "critical",
    occurredAt: isoOf(nowMs),
    ...(id === undefined ? {} : { id }),
  };
}

/** Recognises the format by the first bytes. */
function formatOf(bytes: Uint8Array): AudioChunk["mediaType"] | null {
  const head = Buffer.from(bytes.subarray(0, 12));
  if (
    head.length === 12 &&
    head.toString("latin1", 0, 4) === "RIFF" &&
    head.toString("latin1", 8) === "WAVE"
  ) {
    return "audio/wav";
  }
  return head.length >= 4 && head.readUInt32BE(0) === 0x1a45dfa3 ? "audio/webm" : null;
}
