/**
 * The note writer without a model: joins pieces of captions to sentences and sentences to thoughts, and writes one note
 * for each thought that ended. Open thoughts stay in its memory, so that the boundaries of batches do not show in
 * notes.
 */

import { cutText } from "@continuo/core/model";
import {
  type Draft,
  type EvidenceItem,
  isFields,
  LIMITS,
  type NoteRequest,
  type NoteWriter,
} from "../kit/index.ts";
import { contentWords } from "../sentences/index.ts";
import {
  EMPTY_SPEECH,
  endSpeech,
  foldSpeech,
  isOpenSpeech,
  type SpeechNote,
  type SpeechState,
} from "./speech.ts";

const CONFIDENCE = 0.8;

export function extractiveWriter(): NoteWriter {
  return {
    name: "extractive",
    write: async (request) => {
      const { batchId, evidence, isEnd } = request;
      const before = hearingIn(request.memory);
      const heard = await foldSpeech(before, request);
      const ended = isEnd ? endSpeech(heard.hearing) : { hearing: heard.hearing, notes: [] };
      const { hearing } = ended;
      const notes = [...heard.notes, ...ended.notes];
      const drafts = [
        ...(await Promise.all(notes.map((note) => draftOf(note, request)))),
        ...evidence.flatMap(remarkDraft),
      ];
      return {
        drafts: drafts
          .slice(0, LIMITS.draftsPerBatch)
          .map((draft, n) => ({ ...draft, draftId: `${batchId}/${n + 1}` })),
        ...(hearing === before ? {} : { memory: hearing }),
      };
    },
    hasOpen: (memory) => isOpenSpeech(hearingIn(memory)),
  };
}

/** The memory may come from another writer, which wrote before the budget was spent. */
function hearingIn(memory: unknown): SpeechState {
  return isFields(memory) && memory.type === EMPTY_SPEECH.type
    ? (memory as unknown as SpeechState)
    : EMPTY_SPEECH;
}

type NewDraft = Omit<Draft, "draftId">;

async function draftOf(note: SpeechNote, { idsOf }: NoteRequest): Promise<NewDraft> {
  const { text, startMs, endMs, pieces, videoId } = note;
  return {
    text,
    startMs,
    endMs,
    confidence: CONFIDENCE,
    evidence: await idsOf(pieces.slice(0, LIMITS.noteEvidence)),
    ...(videoId === undefined ? {} : { videoId }),
  };
}

/** A remark of a person is a separate thought. */
function remarkDraft({ id, type, text, lang, startMs, endMs }: EvidenceItem): readonly NewDraft[] {
  if (type !== "remark_added" || contentWords(text, lang).length < LIMITS.remarkWords) return [];
  return [{ text: cutText(text, LIMITS.noteChars), startMs, endMs, confidence: CONFIDENCE, evidence: [id] }];
}
