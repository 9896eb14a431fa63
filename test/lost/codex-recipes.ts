/** Threads that Codex's own list does not show. `test/agents/lost/` checks each with the real program. */

import { join } from "node:path";
import { type LostHome, type LostRecipe, toLines, writeText } from "./recipe.ts";

export const THREAD = "019f3a00-1b2c-7d3e-8f40-516273849501";
const PARENT = "019f3a00-1b2c-7d3e-8f40-516273849502";
const TIME = "2026-11-20T10:00:00.000Z";
const DAY = "sessions/2026/11/20";

export function rolloutName(id: string = THREAD): string {
  return `rollout-2026-11-20T10-00-00-${id}.jsonl`;
}

export function codexPath(home: LostHome, ...parts: readonly string[]): string {
  return join(home.root, ".codex", ...parts);
}

type Record = Readonly<{ timestamp?: string; type: string; payload: object }>;

/** A header as Codex 0.171.0 writes it; `undefined` leaves a field out. */
export function header(home: LostHome, more: object = {}): Record {
  const payload = {
    id: THREAD,
    timestamp: TIME,
    cwd: home.project,
    originator: "codex_cli_rs",
    cli_version: "0.171.0",
    source: "cli",
    model_provider: "openai",
    ...more,
  };
  return { timestamp: TIME, type: "session_meta", payload };
}

export function shown(text: string, more: object = {}): Record {
  return event({ type: "user_message", message: text, images: [], ...more });
}

export function event(payload: object): Record {
  return { timestamp: TIME, type: "event_msg", payload };
}

export function said(role: "user" | "assistant" | "developer", text: string): Record {
  const type = role === "assistant" ? "output_text" : "input_text";
  const payload = { type: "message", role, content: [{ type, text }] };
  return { timestamp: TIME, type: "response_item", payload };
}

const ASKED = "Why does the retry loop never end?";
const ANSWERED = "The counter is reset inside of the loop.";
export const TALK: readonly Record[] = [
  said("user", ASKED),
  shown(ASKED),
  said("assistant", ANSWERED),
  event({ type: "agent_message", message: ANSWERED }),
];
const NOTES = Array.from({ length: 300 }, (_, at) => said("developer", `Note ${at}`));
const TURN: Record = {
  timestamp: TIME,
  type: "turn_context",
  payload: { turn_id: "t1", cwd: "/srv/project", model: "gpt-5.5" },
};

function numbered(records: readonly Record[]): readonly object[] {
  return records.map(({ timestamp, ...record }, ordinal) => ({ timestamp, ordinal, ...record }));
}

function shownItem(text: string): Record {
  const item = { type: "UserMessage", id: "item-1", content: [{ type: "text", text, text_elements: [] }] };
  return event({ type: "item_completed", thread_id: THREAD, turn_id: "t1", item });
}

export function writeThread(home: LostHome, records: readonly object[], ...place: readonly string[]): void {
  const parts = place.length > 0 ? place : [DAY, rolloutName()];
  writeText(codexPath(home, ...parts), toLines(records));
}

export const CODEX_RECIPES: readonly LostRecipe[] = [
  {
    title: "another provider than that of the settings",
    cause: "other_provider",
    write: (home) => writeThread(home, [header(home, { model_provider: "azure" }), ...TALK]),
    messages: 2,
  },
  {
    title: "codex exec",
    cause: "exec_session",
    write: (home) => writeThread(home, [header(home, { source: "exec" }), ...TALK]),
    messages: 2,
  },
  {
    title: "an MCP client",
    cause: "other_source",
    write: (home) => writeThread(home, [header(home, { source: "mcp" }), ...TALK]),
    messages: 2,
  },
  {
    title: "a review",
    cause: "sub_agent",
    write: (home) => writeThread(home, [header(home, { source: { subagent: "review" } }), ...TALK]),
  },
  {
    title: "an archived thread",
    cause: "archived",
    write: (home) => writeThread(home, [header(home), ...TALK], "archived_sessions", rolloutName()),
  },
  {
    title: "a fork before its first prompt",
    cause: "fork_without_prompt",
    write: (home) => {
      const parent = { id: PARENT, history_mode: "paginated" };
      const text = toLines(numbered([header(home, parent), said("user", ASKED), shownItem(ASKED)]));
      writeText(codexPath(home, DAY, rolloutName(PARENT)), text);
      const base = { thread_id: PARENT, end_ordinal_exclusive: 3, end_byte_offset: Buffer.byteLength(text) };
      const own = header(home, { history_mode: "paginated", history_base: base });
      writeThread(home, [{ ...own, ordinal: 3 }]);
    },
  },
  {
    title: "a first prompt after 300 records",
    cause: "late_prompt",
    write: (home) => writeThread(home, [header(home), ...NOTES, ...TALK]),
    messages: 2,
  },
  {
    title: "a first prompt after 300 numbered records",
    cause: "late_prompt",
    write: (home) => {
      const turn = {
        turn_id: "t1",
        started_at: 1,
        model_context_window: 100,
        collaboration_mode_kind: "default",
      };
      const talk = [
        event({ type: "task_started", ...turn }),
        said("user", ASKED),
        shownItem(ASKED),
        said("assistant", ANSWERED),
        event({ type: "task_complete", turn_id: "t1", last_agent_message: ANSWERED }),
      ];
      writeThread(home, numbered([header(home, { history_mode: "paginated" }), ...NOTES, ...talk]));
    },
    messages: 1,
  },
  {
    title: "only what the model received",
    cause: "no_prompt_event",
    write: (home) => writeThread(home, [header(home), said("user", ASKED), said("assistant", ANSWERED)]),
    messages: 2,
  },
  {
    title: "an empty first prompt",
    cause: "empty_prompt",
    write: (home) =>
      writeThread(home, [
        header(home),
        shown(""),
        said("assistant", ANSWERED),
        event({ type: "agent_message", message: ANSWERED }),
      ]),
    messages: 2,
  },
  {
    title: "an editor's words without a request",
    cause: "empty_prompt",
    write: (home) => {
      const editor = "# Context from my IDE setup:\n\n## My request for Codex:\n";
      writeThread(home, [header(home), said("user", editor), shown(editor), said("assistant", ANSWERED)]);
    },
    messages: 1,
  },
  {
    title: "a torn header",
    cause: "torn_header",
    write: (home) =>
      writeText(codexPath(home, DAY, rolloutName()), toLines([header(home), TURN, ...TALK]).slice(60)),
    messages: 2,
  },
  {
    title: "no header",
    cause: "torn_header",
    write: (home) => writeThread(home, TALK),
    messages: 2,
  },
  {
    title: "a header without a version",
    cause: "incomplete_header",
    write: (home) => writeThread(home, [header(home, { cli_version: undefined }), ...TALK]),
    messages: 2,
  },
  {
    title: "a header without a folder",
    cause: "incomplete_header",
    write: (home) => writeThread(home, [header(home, { cwd: undefined }), ...TALK]),
    messages: 2,
  },
  {
    title: "a file next to the folders of years",
    cause: "wrong_folder",
    write: (home) => writeThread(home, [header(home), ...TALK], "sessions", rolloutName()),
    messages: 2,
  },
  {
    title: "a file one folder deeper",
    cause: "wrong_folder",
    write: (home) => writeThread(home, [header(home), ...TALK], DAY, "old", rolloutName()),
    messages: 2,
  },
  {
    title: "a file whose name has no time",
    cause: "file_name",
    write: (home) => writeThread(home, [header(home), ...TALK], DAY, `rollout-${THREAD}.jsonl`),
    messages: 2,
  },
  {
    title: "a copy without its original",
    cause: "file_name",
    write: (home) =>
      writeThread(home, [header(home), ...TALK], DAY, `rollout-2026-11-20T10-00-00-${THREAD} (copy).jsonl`),
    messages: 2,
  },
  {
    title: "a project that was renamed",
    cause: "folder_gone",
    write: (home) => writeThread(home, [header(home, { cwd: `${home.project}-before` }), ...TALK]),
  },
];
