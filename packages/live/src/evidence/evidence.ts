/** Evidence: checks every field and size of what clients send, converts it to events, and reads it page by page. */

import { ContinuoError, type NewEvent, present, type Store, type StoredEvent } from "@continuo/core/model";
import { EVIDENCE_TYPES, type EvidenceBatch, type EvidenceInput } from "@continuo/core/wire";
import { isFields, LIMITS } from "../kit/index.ts";

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value.length <= LIMITS.textChars;
const isName: Check = (value) => typeof value === "string" && value.length <= LIMITS.nameLength;
const isTime: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isShare: Check = (value) => typeof value === "number" && value >= 0 && value <= 1;
const isVector: Check = (value) =>
  Array.isArray(value) && value.length <= LIMITS.embeddingNumbers && value.every(Number.isFinite);
const isPointer: Check = (value) =>
  isFields(value) &&
  typeof value.hash === "string" &&
  /^[0-9a-f]{64}$/u.test(value.hash) &&
  isName(value.mediaType) &&
  isTime(value.sizeBytes);

const isCue: Check = (value) =>
  isFields(value) &&
  Object.keys(value).length === 3 &&
  isTime(value.startMs) &&
  isTime(value.endMs) &&
  Number(value.endMs) >= Number(value.startMs) &&
  isText(value.text) &&
  value.text !== "";

const SPEECH: Readonly<Record<string, Check>> = {
  text: isText,
  mediaTimeMs: isTime,
  "endMs?": isTime,
  "lang?": isName,
  "speaker?": isName,
};

/** A key that ends in `?` may be left out. Other keys are refused, so that no unchecked value is stored. */
const SHAPES: Readonly<Record<EvidenceInput["type"], Readonly<Record<string, Check>>>> = {
  transcript_added: { ...SPEECH, "confidence?": isShare, "videoId?": isName },
  remark_added: { ...SPEECH, "requestId?": isName, "videoId?": isName },
  frame_captured: {
    mediaTimeMs: isTime,
    "full?": isPointer,
    "thumbnail?": isPointer,
    "embedding?": isVector,
    "embeddingVersion?": isName,
    "description?": isText,
    "asked?": (value) => value === true,
    "requestId?": isName,
    "videoId?": isName,
  },
  voice_activity: {
    activity: (value) => value === "speaking" || value === "silent",
    mediaTimeMs: isTime,
  },
  playback_changed: {
    state: (value) => value === "paused" || value === "moved" || value === "ended",
    mediaTimeMs: isTime,
    "videoId?": isName,
  },
  telemetry_reported: { name: isName, "value?": () => true, "mediaTimeMs?": isTime },
  captions_listed: {
    cues: (value) =>
      Array.isArray(value) && value.length > 0 && value.length <= LIMITS.listedCues && value.every(isCue),
    "lang?": isName,
    "videoId?": isName,
  },
};

/** Errors: `invalid` with `details.index`. */
export function parseEvidenceBatch(body: unknown): EvidenceBatch {
  if (!isFields(body)) throw invalid("the body is not an object");
  const { producerId, epoch, sequence, evidence, sessionId } = body;
  if (typeof producerId !== "string" || producerId === "" || producerId.length > LIMITS.nameLength) {
    throw invalid("producerId must be a text that is not empty");
  }
  if (sessionId !== undefined && !isName(sessionId)) throw invalid("sessionId must be a text");
  if (!isTime(epoch)) throw invalid("epoch must be a whole number from 0");
  if (!isTime(sequence)) throw invalid("sequence must be a whole number from 0");
  if (!Array.isArray(evidence)) throw invalid("evidence must be an array");
  if (evidence.length > LIMITS.evidencePerBatch) {
    throw new ContinuoError("too_large", `the batch has ${evidence.length} pieces of evidence`, {
      hint: "Send them in several batches.",
      details: { limit: LIMITS.evidencePerBatch },
    });
  }
  return {
    producerId,
    epoch: Number(epoch),
    sequence: Number(sequence),
    evidence: evidence.map((one, index) => parseEvidence(one, index)),
    ...(typeof sessionId === "string" ? { sessionId } : {}),
  };
}

function parseEvidence(value: unknown, index = 0): EvidenceInput {
  if (!isFields(value)) throw invalid("the evidence is not an object", index);
  const { type, id, ...data } = value;
  if (!isEvidenceType(type)) throw invalid(`there is no evidence of type ${JSON.stringify(type)}`, index);
  if (id !== undefined && (!isName(id) || id === "")) throw invalid("id must be a text", index);
  const problem = problemOf(SHAPES[type], data);
  if (problem !== null) throw invalid(`${type}: ${problem}`, index);
  const { mediaTimeMs, endMs } = data;
  if (typeof endMs === "number" && endMs < Number(mediaTimeMs)) {
    throw invalid(`${type}: endMs is before mediaTimeMs`, index);
  }
  return value as unknown as EvidenceInput;
}

/** The server's clock sets `occurredAt`. */
export function toEvent({ type, id, ...data }: EvidenceInput, occurredAt: string): NewEvent {
  return present({
    type,
    data,
    occurredAt,
    actor: { kind: type === "remark_added" ? "person" : "system" },
    id,
  });
}

function isEvidenceType(type: unknown): type is EvidenceInput["type"] {
  return (EVIDENCE_TYPES as readonly unknown[]).includes(type);
}

function problemOf(shape: Readonly<Record<string, Check>>, data: Fields): string | null {
  for (const key of Object.keys(data)) {
    if (!Object.hasOwn(shape, key) && !Object.hasOwn(shape, `${key}?`)) {
      return `there is no field ${JSON.stringify(key)}`;
    }
  }
  for (const [key, check] of Object.entries(shape)) {
    const name = key.replace(/\?$/u, "");
    const value = data[name];
    if (value === undefined ? name === key : !check(value)) return `${name} is missing or not as documented`;
  }
  return null;
}

function invalid(message: string, index?: number): ContinuoError {
  return new ContinuoError("invalid", message, {
    hint: "See docs/live.md for the shapes of evidence.",
    details: index === undefined ? {} : { index },
  });
}

export interface EvidencePage {
  readonly events: readonly StoredEvent[];
  /** `null` at the end. */
  readonly nextAfter: number | null;
}

/** One page of evidence for exports, in the order of the log. Errors: `not_found`. */
export async function readEvidence(store: Store, sessionId: string, after: number): Promise<EvidencePage> {
  const { events, nextAfter } = await store.read(sessionId, { after, limit: LIMITS.restorePage });
  const types: readonly string[] = EVIDENCE_TYPES;
  return {
    events: events.filter(({ type }) => types.includes(type) || type === "evidence_added"),
    nextAfter,
  };
}
