/** The prompt for a pass over the page, and the parsing of the reply. Pure. */

import { cutText, present } from "@continuo/core/model";
import { PAGE_ITEM_KINDS } from "@continuo/core/wire";
import {
  isFields,
  LIMITS,
  type NoteRevision,
  type PageDraftItem,
  type PageRequest,
  type PageResult,
} from "../kit/index.ts";
import { type Passage, passagesOf } from "./passages.ts";
import {
  type EvidenceAliases,
  idsIn,
  isTime,
  MATERIAL,
  namesOf,
  objectIn,
  passagesIn,
  shownBy,
  unusable,
} from "./replies.ts";

const PAGE = `You write the page of a video for people who watched it: a summary, chapters, decisions, open questions. ${MATERIAL}
"page" is the page so far; "outline" is a rough one that a program made. Make the page better with everything that was said: chapters begin
where the subject changes, titles name the subject, each sentence of the summary stands for itself, decisions were made by those who
speak, questions are those that nobody answered. Write in the language of the evidence. Keep what is good as it is.
Items with "by": "person" belong to people: repeat none of them and do not contradict them.
Answer with one JSON object and nothing else:
{"summary":[{"text":"…","evidence":["e1"]}],"chapters":[{"title":"…","text":"…","startMs":0,"endMs":0,"evidence":["e1"]}],
"decisions":[{"text":"…","evidence":["e1"]}],"questions":[{"text":"…","evidence":["e1"]}],"notes":[{"name":"n1","text":"…","confidence":0.9}]}
- evidence: the names of the passages that say it. An item without evidence is left out.
- startMs, endMs of a chapter: times of passages, in milliseconds; chapters do not overlap.
- what has a "videoId" is of another video, with times of its own: an item is of one video, and cites passages of that one.
- at most 7 sentences of summary, 20 chapters, 12 decisions, 12 questions.
- notes: only notes of "notes" that are wrong or unclear, with the better text, and how sure you are (0 to 1).`;

const FIELDS: Readonly<Record<PageDraftItem["kind"], string>> = {
  summary: "summary",
  chapter: "chapters",
  decision: "decisions",
  question: "questions",
};

export function pagePrompt(request: PageRequest): { readonly text: string; readonly named: EvidenceAliases } {
  const { items, outline, notes, evidence, title, videoId } = request;
  const named = namesOf(passagesOf(evidence));
  const material = {
    video: { id: videoId, title },
    page: items.map((item) => ({ ...shownItem(item), by: item.by })),
    outline: outline.map(shownItem),
    notes: notes.map(({ text, startMs, endMs }, n) => ({ name: `n${n + 1}`, text, startMs, endMs })),
    evidence: [...named.values()].map(shownBy(named)),
  };
  return { text: `${PAGE}\n\n${JSON.stringify(material)}`, named };
}

function shownItem({ kind, title, text, startMs, endMs, videoId }: PageDraftItem): object {
  return { kind, title, text, startMs, endMs, ...present({ videoId }) };
}

/** Errors: `agent_failed` for an answer of another form than the prompt asks for. */
export function parsePage(
  answer: string,
  { notes }: PageRequest,
  named: EvidenceAliases,
): Pick<PageResult, "items" | "revisions"> {
  const fields = objectIn(answer);
  if (!Array.isArray(fields.chapters)) throw unusable("it has no chapters");
  const items = PAGE_ITEM_KINDS.flatMap((kind) => {
    const list: unknown = fields[FIELDS[kind]];
    return (Array.isArray(list) ? list : [])
      .slice(0, LIMITS.pageItemsOfKind)
      .flatMap((item) => readItem(item, kind, named));
  });
  return { items: withoutOverlaps(items), revisions: revisionsIn(fields.notes, notes) };
}

function readItem(
  item: unknown,
  kind: PageDraftItem["kind"],
  named: EvidenceAliases,
): readonly PageDraftItem[] {
  if (!isFields(item) || typeof item.text !== "string" || item.text.trim() === "") return [];
  const cites = passagesIn(item.evidence, named);
  const [first] = cites;
  // A model can invent a sentence: a sentence that cites nothing is left out.
  if (first === undefined) return [];
  const { videoId } = first;
  const passages = cites.filter((one) => one.videoId === videoId);
  const isChapter = kind === "chapter";
  const cited = { startMs: Math.min(...passages.map(startOf)), endMs: Math.max(...passages.map(endOf)) };
  const { startMs, endMs } = isChapter
    ? chapterSpan(
        item,
        cited,
        [...named.values()].filter((one) => one.videoId === videoId),
      )
    : cited;
  const title = isChapter && typeof item.title === "string" ? item.title.trim() : "";
  return [
    {
      kind,
      title: isChapter ? title || cutText(item.text.trim(), LIMITS.pageTitleChars) : null,
      text: item.text.trim(),
      startMs,
      endMs,
      evidence: idsIn(passages),
      ...present({ videoId }),
    },
  ];
}

/** A chapter begins at the beginning of a passage, because a model may invent a time. */
function chapterSpan(
  { startMs, endMs }: Readonly<Record<string, unknown>>,
  cited: { readonly startMs: number; readonly endMs: number },
  passages: readonly Passage[],
): { readonly startMs: number; readonly endMs: number } {
  const lastMs = Math.max(...passages.map(endOf));
  const wantedMs = isTime(startMs) && startMs <= cited.startMs ? startMs : cited.startMs;
  const begins = passages.map(startOf).filter((ms) => ms <= cited.startMs);
  const nearest = begins.reduce(
    (best, ms) => (Math.abs(ms - wantedMs) < Math.abs(best - wantedMs) ? ms : best),
    cited.startMs,
  );
  const end = isTime(endMs) ? Math.min(endMs, lastMs) : cited.endMs;
  return { startMs: nearest, endMs: Math.max(nearest, cited.endMs, end) };
}

/** A chapter ends where the next one of its video begins, at the latest. */
function withoutOverlaps(items: readonly PageDraftItem[]): readonly PageDraftItem[] {
  const chapters = items.filter(({ kind }) => kind === "chapter");
  return items.flatMap((item) => {
    if (item.kind !== "chapter") return [item];
    const begins = chapters.filter(({ videoId }) => videoId === item.videoId);
    if (begins.find(({ startMs }) => startMs === item.startMs) !== item) return [];
    const nextMs = Math.min(...begins.flatMap(({ startMs }) => (startMs > item.startMs ? [startMs] : [])));
    return [{ ...item, endMs: Math.min(item.endMs, nextMs) }];
  });
}

function revisionsIn(value: unknown, notes: PageRequest["notes"]): readonly NoteRevision[] {
  const names = new Map(notes.map(({ noteId }, n) => [`n${n + 1}`, noteId]));
  const revisions = new Map<string, NoteRevision>();
  for (const revision of Array.isArray(value) ? value : []) {
    if (!isFields(revision) || typeof revision.text !== "string" || revision.text.trim() === "") continue;
    const noteId = names.get(String(revision.name));
    if (noteId === undefined || revisions.size >= LIMITS.draftsPerBatch) continue;
    const { confidence } = revision;
    const isShare = typeof confidence === "number" && confidence >= 0 && confidence <= 1;
    const text = cutText(revision.text.trim(), LIMITS.noteChars);
    revisions.set(noteId, { noteId, text, confidence: isShare ? confidence : 0.8 });
  }
  return [...revisions.values()];
}

function startOf({ startMs }: Passage): number {
  return startMs;
}

function endOf({ startMs, endMs }: Passage): number {
  return Math.max(startMs, endMs);
}
