/**
 * Answers the questions about haystacks twice: with Continuo's search, in an index that is filled here, and with the
 * baselines. Both search the same sessions.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IndexedSession, ReadySession } from "@continuo/agents/catalog";
import { parseQuery, search, toBestMatch } from "@continuo/agents/search";
import type { Message } from "@continuo/core/model";
import {
  asOneStep,
  fillText,
  removeIndex,
  storedSessions,
  type TextSource,
  useIndex,
} from "@continuo/native/index-file";
import { baselinesOf } from "./baselines.ts";
import {
  CLASSES,
  type Haystack,
  type HaystackSession,
  loCoMo,
  longMemEval,
  type Question,
  type QuestionClass,
} from "./haystack.ts";
import type { QualityTable } from "./report.ts";

type Shape = "LongMemEval-S" | "LoCoMo";

const SHAPES: Readonly<Record<Shape, typeof longMemEval>> = { "LongMemEval-S": longMemEval, LoCoMo: loCoMo };

/** @param haystacks the number of haystacks for each seed; by default as many as the original has */
export async function measureQuality(
  shape: Shape,
  seeds: readonly number[],
  haystacks?: number,
): Promise<QualityTable> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-quality-"));
  const counts = createCounts();
  try {
    for (const seed of seeds) {
      for (const haystack of SHAPES[shape](seed, haystacks))
        await ask(haystack, join(folder, "index.db"), counts);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { shape, seeds, questions: counts.questions, hits: counts.shares() };
}

async function ask({ sessions, questions, nowMs }: Haystack, path: string, counts: Counts): Promise<void> {
  removeIndex(path);
  await fillText(path, { sources: sessions.map(toSource) });
  const stored = await storedSessions(path);
  const known = new Map(sessions.map((one) => [locationOf(one), one]));
  const ready = new Map(
    stored.flatMap(({ id, key, stamp }): [number, ReadySession][] => {
      const session = known.get(key);
      return session === undefined
        ? []
        : [[id, { key, stamp, hasNativeRefs: false, session: () => toIndexed(session) }]];
    }),
  );
  const baselines = baselinesOf(sessions);
  for (const question of questions) {
    const query = parseQuery(question.text, { toTime: (text) => text });
    const best = toBestMatch(query, nowMs);
    const used = await useIndex(path, "read", (database) => {
      const searching = { sessions: ready, nowMs, limit: 5 };
      const all = query.isQuestion && best !== null ? null : search(database, query, searching);
      if (best === null || (all !== null && all.total > 0)) return all;
      return search(database, query, { ...searching, best });
    });
    if (used.state !== "ready") throw new Error(`the index is ${used.state}`);
    const first = used.value?.results[0]?.session.sessionId ?? null;
    if (process.env.QUALITY_MISSES === question.class && first !== question.sessionId) {
      console.log(question.text, "->", first, "not", question.sessionId);
    }
    counts.add("continuo", question, first);
    for (const baseline of baselines) counts.add(baseline.name, question, baseline.first(question.text));
  }
}

interface Counts {
  readonly questions: number;
  add(engine: string, question: Question, first: string | null): void;
  shares(): QualityTable["hits"];
}

function createCounts(): Counts {
  const all = new Map<string, Map<QuestionClass, { hits: number; asked: number }>>();
  return {
    get questions() {
      const [first = new Map()] = all.values();
      return [...first.values()].reduce((sum, { asked }) => sum + asked, 0);
    },
    add(engine, question, first) {
      const classes = all.get(engine) ?? new Map(CLASSES.map((one) => [one, { hits: 0, asked: 0 }]));
      all.set(engine, classes);
      const count = classes.get(question.class);
      if (count === undefined) return;
      count.asked += 1;
      if (first === question.sessionId) count.hits += 1;
    },
    shares: () =>
      new Map(
        [...all].map(([engine, classes]) => {
          const sums = [...classes.values()];
          const [hits, asked] = [
            sums.reduce((sum, one) => sum + one.hits, 0),
            sums.reduce((sum, one) => sum + one.asked, 0),
          ];
          const shares = [...classes].map(([one, count]): [QuestionClass | "all", number] => [
            one,
            count.hits / count.asked,
          ]);
          return [engine, new Map([...shares, ["all", hits / asked] as const])];
        }),
      ),
  };
}

function locationOf({ id }: HaystackSession): string {
  return `/sessions/${id}.jsonl`;
}

function toIndexed(session: HaystackSession): IndexedSession {
  const { id, at, talks } = session;
  return {
    agent: "claude",
    sessionId: id,
    title: null,
    cwd: "/home/dev/project",
    createdAt: new Date(at).toISOString(),
    updatedAt: new Date(at + talks.length * 60_000).toISOString(),
    gitBranch: null,
    sizeBytes: null,
    archived: false,
    live: null,
    location: locationOf(session),
    parentId: null,
    trashId: null,
    nativeRefs: [],
  };
}

function toSource(session: HaystackSession): TextSource {
  return {
    key: locationOf(session),
    stamp: "made",
    sizeBytes: 1,
    async open() {
      return {
        source: "{}",
        steps: asOneStep(messagesOf(session)),
        beside: {},
        [Symbol.dispose]: () => undefined,
      };
    },
  };
}

async function* messagesOf({ id, at, talks }: HaystackSession): AsyncGenerator<Message, void, void> {
  for (const [number, { person, agent, call }] of talks.entries()) {
    const timestamp = new Date(at + number * 60_000).toISOString();
    const message = (role: Message["role"], content: Message["content"]): Message => ({
      id: `${id}:${number}:${role}:${content[0]?.type}`,
      role,
      timestamp,
      content,
      metadata: { records: [] },
    });
    yield message("user", [{ type: "text", text: person }]);
    if (call !== undefined) {
      const [file = "", ...lines] = call.input.split("\n");
      const args = { file_path: file, new_string: lines.join("\n") };
      yield message("assistant", [{ type: "tool_call", id: `${number}`, name: call.tool, args }]);
      yield message("tool", [
        {
          type: "tool_result",
          toolCallId: `${number}`,
          content: [{ type: "text", text: call.output }],
          isError: false,
        },
      ]);
    }
    yield message("assistant", [{ type: "text", text: agent }]);
  }
}
