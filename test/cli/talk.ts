/** A home with a scripted agent that speaks ACP, for `chat` and `repl`. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chunk, DONE, hello1, type Json, type Script, type ScriptStep } from "../acp/script.ts";
import { SCRIPTED_AGENT } from "../acp/scripted-program.ts";
import { createHome, type Home } from "./home.ts";

export interface TalkHome extends Home {
  /** Returns the prompts of all turns, as text. */
  prompts(): readonly string[];
  /** Returns the methods that were requested from the agent by now. */
  methods(): readonly string[];
  /** Returns the answers that the agent has received by now. */
  answers(): readonly Json[];
  /** Returns the parameters of each request of a method by now. */
  sent(method: string): readonly Json[];
}

const update = (fields: Json): ScriptStep => ({ update: fields });

const EDIT: Json = {
  toolCallId: "t2",
  title: "Edit",
  kind: "edit",
  rawInput: { path: "src/a.ts" },
};

const DIFF = {
  type: "diff",
  path: "src/a.ts",
  oldText: "const a = 1;\nconst b = 2;\nexport { a, b };\n",
  newText: "const a = 1;\nconst b = 42;\nexport { a, b };\n",
};

/** The agent answers the newest text of a prompt, and ignores the text before it. */
export const SCRIPT: Script = {
  hello: hello1({ resume: {} }, { loadSession: true }),
  answers: { "session/resume": [{ result: {} }] },
  prompts: {
    "fix it": [
      update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "First I look." } }),
      chunk("I will **fix** `src/a.ts`:\n\n1. read"),
      chunk(" it\n2. change it\n\n"),
      update({ sessionUpdate: "plan", entries: [{ content: "Change it", status: "in_progress" }] }),
      update({
        sessionUpdate: "tool_call",
        toolCallId: "t1",
        title: "Read",
        kind: "read",
        rawInput: { path: "src/a.ts" },
      }),
      update({
        sessionUpdate: "tool_call_update",
        toolCallId: "t1",
        status: "completed",
        content: [
          { type: "content", content: { type: "text", text: "const a = 1;\n\u001b[2Jconst b = 2;" } },
        ],
      }),
      update({ sessionUpdate: "tool_call", ...EDIT, content: [DIFF] }),
      {
        ask: {
          toolCall: EDIT,
          options: [
            { optionId: "yes", name: "Yes", kind: "allow_once" },
            { optionId: "ever", name: "Always", kind: "allow_always" },
            { optionId: "no", name: "No", kind: "reject_once" },
          ],
        },
      },
      update({ sessionUpdate: "tool_call_update", toolCallId: "t2", status: "completed" }),
      chunk("\n\nDone."),
      DONE,
    ],
    slow: [
      chunk("I begin."),
      update({ sessionUpdate: "tool_call", toolCallId: "w", title: "Wait", status: "pending", rawInput: {} }),
      { untilCancelled: true },
      { result: { stopReason: "cancelled" } },
    ],
    "start something": [
      { startChild: true },
      chunk("\n\nI wait.\n\n."),
      { untilCancelled: true },
      { result: { stopReason: "cancelled" } },
    ],
    "be deaf": [
      { deaf: true },
      { startChild: true },
      chunk("\n\nI wait.\n\n."),
      { untilCancelled: true },
      { result: { stopReason: "cancelled" } },
    ],
    "all of it": [chunk("I did a part."), { result: { stopReason: "max_steps" } }],
    refuse: [{ error: { code: -32_603, message: "the model says 401" } }],
    die: [chunk("I say "), { stderr: "\u001b[31mout of luck\u001b[39m\n" }, { die: 3 }],
  },
};

/** `robot` answers by the script; `other` is another agent of the same kind. Both continue as `session` says. */
export function createTalkHome(script: Script = SCRIPT, session: Json = {}): TalkHome {
  const home = createHome();
  const file = join(home.path, "script.json");
  home.write("script.json", JSON.stringify(script));
  const agent = { command: process.execPath, args: [SCRIPTED_AGENT, file], session };
  // JSON is YAML.
  home.write(
    ".continuo/continuo.yaml",
    JSON.stringify({ agent: "robot", agents: { robot: agent, other: agent } }),
  );
  home.write("project/readme", "");
  const sent = (): readonly Json[] =>
    existsSync(`${file}.log`)
      ? readFileSync(`${file}.log`, "utf8")
          .trimEnd()
          .split("\n")
          .map((line): Json => JSON.parse(line))
      : [];
  return {
    ...home,
    [Symbol.dispose]: () => home[Symbol.dispose](),
    methods: () => sent().flatMap(({ method }) => (typeof method === "string" ? [method] : [])),
    answers: () => sent().filter(({ method }) => method === undefined),
    sent: (wanted) => sent().flatMap(({ method, params }) => (method === wanted ? [params as Json] : [])),
    prompts: () =>
      sent().flatMap(({ method, params }) =>
        method === "session/prompt"
          ? [((params as { prompt: { text: string }[] }).prompt ?? []).map(({ text }) => text).join("")]
          : [],
      ),
  };
}

/** Returns a screen without the parts that differ from run to run. */
export function steady(home: Home, screen: string): string {
  return screen
    .trimEnd()
    .replaceAll(home.path, "HOME")
    .replace(/· [\d.]+ s$/gmu, "· TIME")
    .replace(/session [0-9a-f]{8}-[0-9a-f]{4}\b/gu, "session ID")
    .replace(/denied in \d+:\d\d/u, "denied in TIME");
}
