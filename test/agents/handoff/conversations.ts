/**
 * The same conversation, held by each real agent: two turns of the person, thinking, two parallel calls of which one
 * fails, an image, text that is not Latin, and the longest result that the agent keeps.
 */

import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import {
  type JsonObject,
  type Script,
  type ScriptedTurn,
  type Step,
  text,
  thinking,
  tool,
} from "../../model-servers/index.ts";
import { openClaude } from "../claude/driver.ts";
import { openCodex } from "../codex/driver.ts";
import { copilotPlaces, openCopilot } from "../copilot/driver.ts";
import { openGemini } from "../gemini/driver.ts";
import { openOpencode } from "../opencode/driver.ts";
import { openPi } from "../pi/driver.ts";
import { PICTURE } from "../picture.ts";
import type { Sandbox } from "../sandbox.ts";

export interface Conversation {
  /** The minimum size of its long result. */
  readonly minResultBytes: number;
  readonly script: (project: string) => readonly ScriptedTurn[];
  /** Holds the conversation in a new session; returns its id and the environment variables by which it is found. */
  readonly hold: (sandbox: Sandbox, modelUrl: string) => Promise<AgentConversation>;
}

export interface AgentConversation {
  readonly sessionId: string;
  readonly environment: Readonly<Record<string, string>>;
}

const LINE = "A line of a long note: какой-то текст, 很长的文字, and so on.\n";
const noteOf = (bytes: number): string => LINE.repeat(Math.floor(bytes / Buffer.byteLength(LINE)));

const compare = (agent: AgentName): string => `${agent}: Compare the notes, 比较一下 – сравни их.`;
const look = (agent: AgentName): string => `${agent}: What colour is this?`;

interface Calls {
  readonly long: Step;
  readonly fails: Step;
}

/** `lookWords` is for Gemini CLI, where the prompt contains the path of the picture after an `@`. */
function turnsOf(agent: AgentName, { long, fails }: Calls, lookWords = look(agent)): readonly ScriptedTurn[] {
  return [
    {
      user: compare(agent),
      answers: [
        [thinking("Both, и осмотреться."), text("I read 两个."), long, fails],
        [text("One is long, the other is not there.")],
      ],
    },
    { user: lookWords, answers: [[thinking("It is a picture."), text("Green, 绿色.")]] },
  ];
}

const FILES: readonly (readonly [string, string | Uint8Array])[] = [
  ["project/leaf.png", Buffer.from(PICTURE, "base64")],
  ["project/long.md", noteOf(49_000)],
  ["project/longest.md", noteOf(190_000)],
];

export async function writeFiles(sandbox: Sandbox): Promise<void> {
  for (const [path, content] of FILES) await sandbox.write(path, content);
}

const PICTURE_PART: JsonObject = {
  type: "file",
  mime: "image/png",
  filename: "leaf.png",
  url: `data:image/png;base64,${PICTURE}`,
};

export const CONVERSATIONS: Readonly<Record<AgentName, Conversation>> = {
  claude: {
    minResultBytes: 180_000,
    script: (project) =>
      turnsOf("claude", {
        long: tool("Read", { file_path: join(project, "longest.md") }),
        fails: tool("Read", { file_path: join(project, "missing.md") }),
      }),
    async hold(sandbox, modelUrl) {
      const claude = await openClaude(sandbox, modelUrl, "full");
      // The largest part of a file that Claude Code reads at once, in tokens.
      const env = { CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS: "200000" };
      await sandbox.write(".claude/settings.json", JSON.stringify({ cleanupPeriodDays: 36_500, env }));
      const sessionId = randomUUID();
      const source = { type: "base64", media_type: "image/png", data: PICTURE };
      const pictured = [
        { type: "text", text: look("claude") },
        { type: "image", source },
      ];
      await claude.say([compare("claude"), pictured], { sessionId });
      return { sessionId, environment: { CLAUDE_CONFIG_DIR: claude.configFolder } };
    },
  },
  codex: {
    minResultBytes: 180_000,
    script: () =>
      turnsOf("codex", {
        long: tool("exec_command", { cmd: "cat longest.md", max_output_tokens: 200_000 }),
        fails: tool("exec_command", { cmd: "cat missing.md" }),
      }),
    async hold(sandbox, modelUrl) {
      const codex = await openCodex(sandbox, modelUrl);
      const config = join(codex.home, "config.toml");
      await writeFile(config, `tool_output_token_limit = 200000\n${await readFile(config, "utf8")}`);
      const { threadId } = await codex.exec(compare("codex"));
      const images = [join(sandbox.project, "leaf.png")];
      await codex.exec(look("codex"), { resume: threadId, images });
      return { sessionId: threadId, environment: { CODEX_HOME: codex.home } };
    },
  },
  gemini: {
    minResultBytes: 45_000,
    script: () =>
      turnsOf(
        "gemini",
        {
          long: tool("read_file", { file_path: "long.md" }),
          fails: tool("read_file", { file_path: "missing.md" }),
        },
        "gemini: What colour is",
      ),
    async hold(sandbox, modelUrl) {
      const gemini = await openGemini(sandbox, modelUrl);
      const sessionId = randomUUID();
      await gemini.say(compare("gemini"), { sessionId });
      await gemini.say("gemini: What colour is @leaf.png?", { resume: sessionId });
      return { sessionId, environment: { GEMINI_CLI_HOME: gemini.home } };
    },
  },
  pi: {
    minResultBytes: 45_000,
    script: () =>
      turnsOf("pi", {
        long: tool("read", { path: "long.md" }),
        fails: tool("read", { path: "missing.md" }),
      }),
    async hold(sandbox, modelUrl) {
      const pi = await openPi(sandbox, modelUrl);
      const sessionId = randomUUID();
      await using talk = pi.talk({ sessionId });
      await talk.say(compare("pi"));
      await talk.say(look("pi"), [{ mimeType: "image/png", data: PICTURE }]);
      return { sessionId, environment: { PI_CODING_AGENT_DIR: pi.home } };
    },
  },
  opencode: {
    minResultBytes: 45_000,
    script: (project) =>
      turnsOf("opencode", {
        long: tool("read", { filePath: join(project, "long.md") }),
        fails: tool("read", { filePath: join(project, "missing.md") }),
      }),
    async hold(sandbox, modelUrl) {
      const opencode = await openOpencode(sandbox, modelUrl);
      await using server = await opencode.serve();
      const sessionId = await server.create({ title: "Two notes" });
      await server.say(sessionId, compare("opencode"));
      await server.say(sessionId, look("opencode"), { parts: [PICTURE_PART] });
      return { sessionId, environment: { XDG_DATA_HOME: opencode.dataHome } };
    },
  },
  copilot: {
    minResultBytes: 20_000,
    script: (project) =>
      turnsOf("copilot", {
        // Copilot shows only a part of a file of this size, and shows nothing of it without a range.
        long: tool("view", { path: join(project, "long.md"), view_range: [1, 1_000] }),
        fails: tool("view", { path: join(project, "missing.md") }),
      }),
    async hold(sandbox, modelUrl) {
      const copilot = await openCopilot(sandbox, modelUrl);
      const sessionId = randomUUID();
      await copilot.say(compare("copilot"), { sessionId });
      const attachments = [join(sandbox.project, "leaf.png")];
      await copilot.say(look("copilot"), { resume: sessionId, attachments });
      return { sessionId, environment: copilotPlaces(copilot) };
    },
  },
};

export function scriptOf(project: string): Script {
  return { turns: Object.values(CONVERSATIONS).flatMap(({ script }) => script(project)) };
}
