/** Sessions that revert messages, each in one file that grows line by line. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HOME_VARIABLES, type Places } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";

export interface GrownHistory {
  readonly agent: AgentName;
  /** The path in the agent's home. */
  readonly path: string;
  readonly lines: readonly string[];
}

type Line = Readonly<Record<string, unknown>>;

const ID = "01999999-1111-7222-8333-0000000000c1";

let clock = 0;
function now(): string {
  clock += 1;
  return new Date(Date.UTC(2026, 0, 1) + 1_000 * clock).toISOString();
}

const item = (payload: Line): Line => ({ timestamp: now(), type: "response_item", payload });
const event = (payload: Line): Line => ({ timestamp: now(), type: "event_msg", payload });

/** A question and its answer in Codex; a second answer stands before a call and its result. */
function codexTurn(name: string, call: string | null = null): readonly Line[] {
  const said = (text: string): Line => ({
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text }],
  });
  return [
    event({ type: "task_started", turn_id: name }),
    item({ type: "message", role: "user", content: [{ type: "input_text", text: `question ${name}` }] }),
    event({ type: "user_message", message: `question ${name}` }),
    item(said(`answer ${name}`)),
    ...(call === null
      ? []
      : [
          item({
            type: "function_call",
            name: "exec_command",
            arguments: `{"cmd":"${name}"}`,
            call_id: call,
          }),
          item({ type: "function_call_output", call_id: call, output: `output ${name}` }),
          event({
            type: "item_completed",
            item: { type: "CommandExecution", id: call, exit_code: 1, aggregated_output: `shown ${name}` },
          }),
          item(said(`end of ${name}`)),
        ]),
  ];
}

const codexEnd = (name: string): Line => event({ type: "task_complete", turn_id: name });
const rolledBack = (turns: number): Line => event({ type: "thread_rolled_back", num_turns: turns });

const CODEX: readonly Line[] = [
  {
    timestamp: now(),
    type: "session_meta",
    payload: { id: ID, timestamp: now(), cwd: "/w", originator: "x", cli_version: "0.169.0" },
  },
  // Injected text is in the turn of the first question.
  item({
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: "<environment_context>\n<cwd>/w</cwd>\n</environment_context>" }],
  }),
  ...[...codexTurn("A"), codexEnd("A"), ...codexTurn("B", "call_b"), codexEnd("B")],
  rolledBack(1),
  // This turn has the same form as the reverted one, in the same place.
  ...[...codexTurn("C", "call_c"), codexEnd("C")],
  // The line after an interrupted turn marks its words.
  ...[...codexTurn("D"), event({ type: "turn_aborted", turn_id: "D", reason: "interrupted" })],
  ...[rolledBack(2), ...codexTurn("E"), codexEnd("E")],
];

const text = (said: string): Line => ({ type: "text", text: said });

function claudeLine(uuid: string, parent: string | null, message: Line): Line {
  return {
    type: message.role,
    uuid,
    parentUuid: parent,
    sessionId: ID,
    cwd: "/w",
    timestamp: now(),
    message,
  };
}
const claudeUser = (uuid: string, parent: string | null): Line =>
  claudeLine(uuid, parent, { role: "user", content: `question ${uuid}` });
/** @param message the same for all lines of one answer */
const claudeAnswer = (uuid: string, parent: string, message = uuid): Line =>
  claudeLine(uuid, parent, { id: `msg_${message}`, role: "assistant", content: [text(`answer ${uuid}`)] });

const CLAUDE: readonly Line[] = [
  ...[
    claudeUser("u1", null),
    claudeAnswer("a1", "u1"),
    claudeAnswer("a2", "a1", "a1"),
    claudeUser("u2", "a2"),
  ],
  ...[claudeAnswer("a3", "u2"), claudeUser("u3", "a3"), claudeAnswer("a4", "u3")],
  // The branch begins in the middle of the first answer, so both branches have a part of it.
  ...[claudeUser("u4", "a1"), claudeAnswer("a5", "u4"), claudeAnswer("a6", "a5", "a5")],
  ...[claudeUser("u5", "a6"), claudeAnswer("a7", "u5"), claudeUser("u6", "a7")],
  // The session continues on the first branch.
  ...[claudeUser("u7", "a4"), claudeAnswer("a8", "u7"), claudeUser("u8", "a8")],
];

const piEntry = (id: string, parentId: string | null, role: "user" | "assistant"): Line => ({
  type: "message",
  id,
  parentId,
  timestamp: now(),
  message: { role, content: [text(`${role} ${id}`)] },
});

const PI: readonly Line[] = [
  { type: "session", version: 3, id: ID, timestamp: now(), cwd: "/w" },
  ...[piEntry("e1", null, "user"), piEntry("e2", "e1", "assistant"), piEntry("e3", "e2", "user")],
  ...[piEntry("e4", "e3", "assistant"), piEntry("e5", "e2", "user"), piEntry("e6", "e5", "assistant")],
  ...[piEntry("e7", "e6", "user"), piEntry("e8", "e4", "user"), piEntry("e9", "e8", "assistant")],
  ...[piEntry("e10", "e7", "assistant"), piEntry("e11", "e10", "user")],
];

const geminiUser = (id: string, said = `question ${id}`): Line => ({
  id,
  timestamp: now(),
  type: "user",
  content: [{ text: said }],
});
const geminiCall = (name: string): Line => ({
  id: `call-${name}`,
  name: "run",
  args: { command: `run ${name}` },
});
const geminiAnswer = (id: string, calls: readonly Line[] = []): Line => ({
  id,
  timestamp: now(),
  type: "gemini",
  content: `answer ${id}`,
  thoughts: [],
  model: "m",
  ...(calls.length === 0 ? {} : { toolCalls: calls }),
});
/** A result in a separate message. */
const geminiResult = (id: string, name: string): Line => ({
  id,
  timestamp: now(),
  type: "user",
  content: [
    {
      functionResponse: { id: `call-${name}`, name: "run", response: { output: `output ${id} of ${name}` } },
    },
  ],
});

const GEMINI: readonly Line[] = [
  { sessionId: ID, projectHash: "0", startTime: now(), lastUpdated: now(), kind: "main" },
  ...[
    geminiUser("q1"),
    geminiAnswer("g1"),
    geminiUser("q2"),
    geminiAnswer("g2", [geminiCall("a"), geminiCall("b")]),
  ],
  // Results arrive one at a time, after the answer.
  ...[geminiResult("r1", "a"), geminiResult("r2", "b"), geminiUser("q3"), geminiAnswer("g3")],
  { $rewindTo: "q2" },
  ...[geminiUser("q4"), geminiAnswer("g4", [geminiCall("c")]), geminiResult("r3", "c"), geminiUser("q5")],
  // This is another version of an existing message. The earlier version becomes another branch under the same id.
  ...[geminiUser("q5", "another question"), geminiAnswer("g5"), geminiUser("q6"), geminiAnswer("g6")],
  { $rewindTo: "q6" },
  ...[geminiUser("q7"), geminiAnswer("g7")],
];

const toLines = (lines: readonly Line[]): readonly string[] =>
  lines.map((line) => `${JSON.stringify(line)}\n`);

export const GROWN_HISTORIES: readonly GrownHistory[] = [
  { agent: "claude", path: `projects/-w/${ID}.jsonl`, lines: toLines(CLAUDE) },
  {
    agent: "codex",
    path: `sessions/2026/01/01/rollout-2026-01-01T00-00-00-${ID}.jsonl`,
    lines: toLines(CODEX),
  },
  { agent: "pi", path: `sessions/--w--/2026-01-01T00-00-00-000Z_${ID}.jsonl`, lines: toLines(PI) },
  {
    agent: "gemini",
    path: ".gemini/tmp/w/chats/session-2026-01-01T00-00-01999999.jsonl",
    lines: toLines(GEMINI),
  },
];

/** Creates an empty file in a separate home. */
export function placeHistory(
  scratch: string,
  { agent, path }: GrownHistory,
): { readonly path: string; readonly places: Places } {
  const home = join(scratch, "agent");
  const whole = join(home, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, "");
  return { path: whole, places: { home: scratch, env: { [HOME_VARIABLES[agent]]: home } } };
}
