/**
 * States of Claude Code's sessions in which the file has more than the conversation, because Claude Code inserts
 * records.
 */

import { execFileSync } from "node:child_process";
import type { Sandbox } from "../../test/agents/sandbox.ts";
import { type JsonObject, text, tool } from "../../test/model-servers/index.ts";
import { type ClaudeCase, SESSION } from "./claude-stage.ts";

async function settle(sandbox: Sandbox, settings: JsonObject): Promise<void> {
  await sandbox.write(".claude/settings.json", JSON.stringify({ cleanupPeriodDays: 36_500, ...settings }));
}

function hook(event: string, additionalContext: string): JsonObject {
  const told = JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext } });
  return { matcher: "", hooks: [{ type: "command", command: `printf '%s' '${told}'` }] };
}

/** This hook keeps Claude Code from stopping the first time. */
const STOP = `test -e "$HOME/stopped" || { touch "$HOME/stopped"; echo "Name the water too." >&2; exit 2; }`;

export const CLAUDE_STATES: readonly ClaudeCase[] = [
  {
    name: "local-commands",
    shows:
      "Slash commands that Claude Code runs itself between two turns: their output is sent with the next.",
    made: "`claude -p --resume ID`, once each with `/rename`, `/usage`, `/model` and `/status`",
    script: {
      turns: [
        { user: "Which teas do we sell?", answers: [[text("Green, black and white.")]] },
        { user: "And herbs?", answers: [[text("None yet.")]] },
      ],
    },
    async hold({ claude }) {
      await claude.say(["Which teas do we sell?"], { sessionId: SESSION });
      for (const command of ["/rename Teas", "/usage", "/model", "/status"])
        await claude.say([command], { resume: SESSION });
      await claude.say(["And herbs?"], { resume: SESSION });
    },
  },
  {
    name: "hooks",
    shows:
      "What hooks add: at the start, to each prompt, before and after a tool, and when Claude Code stops.",
    made: "`claude -p` with hooks in `settings.json`",
    full: true,
    script: {
      turns: [
        {
          user: "What is in the project?",
          answers: [
            [text("I look."), tool("Bash", { command: "ls", description: "List" })],
            [text("A timer.")],
          ],
        },
        { user: "Name the water too.", answers: [[text("Soft water.")]] },
        { user: "Anything else?", answers: [[text("A kettle.")]] },
      ],
    },
    async hold({ claude, sandbox }) {
      await settle(sandbox, {
        hooks: {
          SessionStart: [hook("SessionStart", "The shop opens at nine.")],
          UserPromptSubmit: [hook("UserPromptSubmit", "It is Tuesday.")],
          PreToolUse: [hook("PreToolUse", "Read only.")],
          PostToolUse: [hook("PostToolUse", "Three files.")],
          Stop: [{ matcher: "", hooks: [{ type: "command", command: STOP }] }],
        },
      });
      await claude.say(["What is in the project?"], { sessionId: SESSION });
      await claude.say(["Anything else?"], { resume: SESSION });
    },
  },
  {
    name: "plan-mode",
    shows: "A turn in plan mode, with its reminder, and one after plan mode was left.",
    made: "`claude -p --permission-mode plan`, then `claude -p --resume` without it",
    full: true,
    script: {
      turns: [
        {
          user: "Plan the fix.",
          answers: [[tool("Read", { file_path: "PROJECT/timer.js" })], [text("Black tea: 240 seconds.")]],
        },
        { user: "Do it.", answers: [[text("I would, with an editor.")]] },
      ],
    },
    async hold({ claude }) {
      await claude.say(["Plan the fix."], { sessionId: SESSION, permissionMode: "plan" });
      await claude.say(["Do it."], { resume: SESSION });
    },
  },
  {
    name: "todos",
    shows: "A list of tasks that the model keeps: two are made, one is begun.",
    made: "`claude -p` with a model that has the tools TaskCreate, TaskUpdate and TaskList",
    full: true,
    script: {
      turns: [
        {
          user: "Make the tea, step by step.",
          answers: [
            [
              tool("TaskCreate", { subject: "Heat water", description: "To 80 degrees" }),
              tool("TaskCreate", { subject: "Steep", description: "Two minutes" }),
            ],
            [tool("TaskUpdate", { taskId: "1", status: "in_progress" })],
            [tool("TaskList", {})],
            [text("The water heats.")],
          ],
        },
        { user: "And then?", answers: [[text("It steeps.")]] },
      ],
    },
    async hold({ claude, sandbox }) {
      await settle(sandbox, { model: "claude-sonnet-4-6" });
      await claude.say(["Make the tea, step by step."], { sessionId: SESSION });
      await claude.say(["And then?"], { resume: SESSION });
    },
  },
  {
    name: "skills",
    shows: "A skill that the model loads, a command of the project, and a skill that the person calls.",
    made: "`claude -p` with `.claude/skills` and `.claude/commands` in the project",
    full: true,
    script: {
      turns: [
        { user: "How do I brew?", answers: [[tool("Skill", { skill: "brew" })]] },
        { user: "Steep green for two minutes.", answers: [[text("It steeps.")]] },
        { user: "ARGUMENTS: twice", answers: [[text("Brewed twice.")]] },
        { user: "Boil the water first.", answers: [[text("The water comes first.")]] },
      ],
    },
    async hold({ claude, sandbox }) {
      const described = (what: string): string => `---\nname: brew\ndescription: ${what}\n---\n`;
      await sandbox.write(
        "project/.claude/skills/brew/SKILL.md",
        `${described("How to brew tea")}Boil the water first.\n`,
      );
      await sandbox.write(
        "project/.claude/commands/steep.md",
        `${described("Steep a tea")}Steep $ARGUMENTS for two minutes.\n`,
      );
      await claude.say(["How do I brew?"], { sessionId: SESSION });
      for (const command of ["/steep green", "/brew twice"]) await claude.say([command], { resume: SESSION });
    },
  },
  {
    name: "background-command",
    shows: "A command that runs in the background, the notice of its end, and a turn after it.",
    made: "`claude -p` with the tool Bash and `run_in_background`",
    full: true,
    script: {
      turns: [
        {
          user: "Run the long check.",
          answers: [
            [tool("Bash", { command: "sleep 1; echo pass", description: "Check", run_in_background: true })],
            [text("It runs.")],
            [text("It passed.")],
          ],
        },
        { user: "Good?", answers: [[text("All is well.")]] },
      ],
    },
    async hold({ claude }) {
      await claude.say(["Run the long check."], { sessionId: SESSION });
      await claude.say(["Good?"], { resume: SESSION });
    },
  },
  {
    name: "worktree",
    shows: "Tools that the model had to search for; with them it enters a worktree, and leaves it again.",
    made: "`claude -p` with the tools ToolSearch, EnterWorktree and ExitWorktree",
    full: true,
    script: {
      turns: [
        {
          user: "Work in a worktree.",
          answers: [[tool("ToolSearch", { query: "select:EnterWorktree,ExitWorktree" })]],
        },
        {
          user: "Tool loaded.",
          answers: [
            [tool("EnterWorktree", { name: "tea" })],
            [tool("Bash", { command: "ls", description: "List" })],
            [text("I am there.")],
          ],
        },
        { user: "Leave it.", answers: [[tool("ExitWorktree", { action: "keep" })], [text("I left.")]] },
      ],
    },
    async hold({ claude, sandbox }) {
      const who = ["-c", "user.name=dev", "-c", "user.email=dev@localhost"];
      execFileSync("git", [...who, "commit", "-q", "--allow-empty", "-m", "Begin"], { cwd: sandbox.project });
      await claude.say(["Work in a worktree.", "Leave it."], { sessionId: SESSION });
    },
  },
];
