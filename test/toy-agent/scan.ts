/** The toy agent's scan: every line after the first one is a message. */

import type { Block, Message, Problem, SessionInfo } from "@continuo/core/model";
import { isJson, type Json, textField, toTime } from "@continuo/files";
import type { LinePlace, LineRecord } from "@continuo/files/records";
import {
  addProblem,
  allProblems,
  createProblemList,
  type FoundSession,
  type ProblemList,
  toTitle,
} from "@continuo/native/kit";
import {
  type LineSource,
  lineEntries,
  type MessageCounts,
  openLineSource,
  type Scan,
} from "../../packages/native/src/native/scanning/index.ts";
import { TOY } from "./places.ts";

interface ToyState {
  readonly places: LinePlace[];
  readonly counts: { user: number; assistant: number; tool: number; toolCalls: number };
  header: Json | null;
  typed: string | null;
  updatedAt: string | null;
  readonly unknown: Map<string, number>;
  readonly problems: ProblemList;
}

const ROLES = { person: "user", toy: "assistant", tool: "tool" } as const;

export const toyScan: Scan<ToyState, LineRecord, LineSource, number> = {
  version: "toy-1",
  open: openLineSource,
  create: () => ({
    places: [],
    counts: { user: 0, assistant: 0, tool: 0, toolCalls: 0 },
    header: null,
    typed: null,
    updatedAt: null,
    unknown: new Map(),
    problems: createProblemList(),
  }),
  fold(state, { line, offset, length, value, problems }) {
    for (const problem of problems) addProblem(state.problems, problem);
    if (value === undefined) return;
    const record = isJson(value) ? value : {};
    state.places.push({ line, offset, length });
    state.updatedAt = toTime(record.at) ?? state.updatedAt;
    if (record.toy === 1) state.header ??= record;
    else if (roleOf(record) === null)
      state.unknown.set(String(record.by), (state.unknown.get(String(record.by)) ?? 0) + 1);
    else {
      const message = toMessage(record, line);
      if (message.role !== "system") state.counts[message.role] += 1;
      for (const block of message.content) {
        if (block.type === "tool_call") state.counts.toolCalls += 1;
        if (block.type === "text" && message.role === "user") state.typed ??= toTitle(block.text);
      }
    }
  },
  isEnough: () => false,
  async finish(state, { found, source }) {
    const problems = allProblems(state.problems, headProblems(state), source.problems());
    const { user, assistant, tool, toolCalls } = state.counts;
    const counts: MessageCounts = {
      total: user + assistant + tool,
      user,
      assistant,
      tool,
      system: 0,
      toolCalls,
    };
    const last = state.places.at(-1)?.line ?? 0;
    const tip = {
      node: last,
      id: `line:${last}`,
      active: true,
      updatedAt: state.updatedAt,
      counts,
      label: state.typed,
    };
    return {
      facts: {
        ...rowOf(found, state, problems),
        records: state.places.length,
        unknownRecords: Object.fromEntries(state.unknown),
        models: [],
        usage: null,
        agentVersions: [],
        subagents: [],
        forkedFrom: null,
      },
      tips: counts.total === 0 ? [] : [tip],
      nodeOf: () => null,
      async *history(_, options): AsyncGenerator<Message, void, void> {
        const names = new Map<string, { name: string; args: Json }>();
        for (const place of state.places) {
          const value = await source.lines.fetch(place);
          if (!isJson(value) || value.toy === 1 || roleOf(value) === null) continue;
          const message = toMessage(value, place.line, names);
          const native = options.native === true ? { native: [value] } : {};
          yield { ...message, metadata: { ...message.metadata, ...native } };
        }
      },
      entries: (signal) =>
        lineEntries(
          source,
          {
            count: state.places.length,
            placeOf: (at) => state.places[at] ?? { line: 0, offset: 0, length: 0 },
            isActive: () => true,
            withLines: true,
            toEntry: (value) => ({
              id: null,
              parentId: null,
              type: isJson(value) ? String(value.by ?? "header") : "",
            }),
          },
          signal,
        ),
    };
  },
};

function roleOf(record: Json): Message["role"] | null {
  const by = String(record.by);
  return Object.hasOwn(ROLES, by) ? ROLES[by as keyof typeof ROLES] : null;
}

function toMessage(record: Json, line: number, calls?: Map<string, { name: string; args: Json }>): Message {
  const content = (Array.isArray(record.blocks) ? record.blocks : []) as Block[];
  const role = roleOf(record) ?? "user";
  for (const block of content)
    if (block.type === "tool_call") calls?.set(block.id, { name: block.name, args: block.args as Json });
  const [result] = content;
  const origin = role === "user" ? ("person" as const) : ("agent" as const);
  const timestamp = toTime(record.at);
  const base = {
    id: `line:${line}`,
    role,
    content,
    origin,
    ...(timestamp && { timestamp }),
    metadata: { records: [{ line }] },
  };
  if (role !== "tool" || result?.type !== "tool_result") return base;
  const call = calls?.get(result.toolCallId);
  const toolOutput = result.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return {
    ...base,
    toolCallId: result.toolCallId,
    toolOutput,
    ...(call && { toolName: call.name, toolInput: call.args }),
  };
}

export function rowOf(found: FoundSession, state: ToyState, problems: readonly Problem[]): SessionInfo {
  const { header, typed, updatedAt } = state;
  return {
    agent: TOY,
    sessionId: found.sessionId,
    location: found.location,
    cwd: textField(header ?? {}, "cwd"),
    title: textField(header ?? {}, "title") ?? typed,
    gitBranch: null,
    createdAt: toTime(header?.at),
    updatedAt,
    sizeBytes: found.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    archived: false,
    live: null,
    problems: [...found.problems, ...problems],
  };
}

function headProblems({ header }: ToyState): Problem[] {
  return header === null
    ? [{ code: "missing_header", line: 1, message: "no line says what the session is" }]
    : [];
}
