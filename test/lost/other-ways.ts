/**
 * The same causes, produced in other ways than by the recipes: by a power cut, an editor on Windows, many small records
 * in place of a large one.
 */

import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import { folderName, sessionPath, talk } from "./claude-recipes.ts";
import { codexPath, event, header, rolloutName, said, TALK, writeThread } from "./codex-recipes.ts";
import { GEMINI_TALK, geminiHead, geminiPath, writeGemini } from "./gemini-recipes.ts";
import { PI_TALK, piFolder, piHeader, piPath } from "./pi-recipes.ts";
import { type LostRecipe, toLines, writeText } from "./recipe.ts";

const ASKED = { role: "user", content: "Why does the retry loop never end?" } as const;
const ANSWERED = { role: "assistant", content: "The counter is reset inside of the loop." } as const;
const NAME_OF_PI = "2026-11-20T10-00-00-000Z_019f3a00-1b2c-7d3e-8f40-516273849501.jsonl";

export const OTHER_WAYS: readonly (readonly [agent: AgentName, recipe: LostRecipe])[] = [
  [
    "claude",
    {
      title: "three pasted texts with many bytes per letter in the first prompt",
      cause: "long_first_prompt",
      write: (home) => {
        const text = (at: number): object => ({
          type: "text",
          text: `Anlage ${at}: ${"Größenänderung ".repeat(1600)}`,
        });
        writeText(
          sessionPath(home),
          toLines(talk(home, [{ role: "user", content: [1, 2, 3].map(text) }, ANSWERED])),
        );
      },
      messages: 2,
    },
  ],
  [
    "claude",
    {
      title: "forty outputs of hooks before the first prompt",
      cause: "late_first_prompt",
      write: (home) => {
        const outputs = Array.from({ length: 40 }, (_, at) => ({
          type: "progress",
          data: { type: "hook_progress", hookEvent: "SessionStart", output: `${at} ${"ok ".repeat(1000)}` },
          toolUseID: `hook-${at}`,
          timestamp: "2026-11-20T09:00:00.000Z",
        }));
        writeText(sessionPath(home), toLines([...outputs, ...talk(home, [ASKED, ANSWERED])]));
      },
      messages: 2,
    },
  ],
  [
    "claude",
    {
      title: "an editor that saved a byte order mark and the line ends of Windows",
      cause: "byte_order_mark",
      write: (home) =>
        writeText(
          sessionPath(home),
          `\ufeff${toLines(talk(home, [ASKED, ANSWERED])).replaceAll("\n", "\r\n")}`,
        ),
      messages: 2,
    },
  ],
  [
    "claude",
    {
      title: "a first block that a power cut left as zeros",
      cause: "torn_first_line",
      write: (home) => {
        const text = toLines(talk(home, [ASKED, ANSWERED]));
        writeText(sessionPath(home), `${"\0".repeat(300)}${text.slice(300)}`);
      },
      messages: 1,
    },
  ],
  [
    "claude",
    {
      title: "a renamed project, with letters that its folder's name lacks",
      cause: "other_folder",
      write: (home) => {
        const folder = folderName(join(home.root, "Ärger & Co. (alt)"));
        writeText(sessionPath(home, undefined, folder), toLines(talk(home, [ASKED, ANSWERED])));
        writeText(
          sessionPath(home, "0b7c1f7e-3d51-4c0e-9a52-6f1f3f0a9c11/subagents/agent-a1.jsonl", folder),
          toLines(talk(home, [ASKED, ANSWERED])),
        );
      },
      messages: 2,
    },
  ],
  [
    "codex",
    {
      title: "a first block that a power cut left as zeros",
      cause: "torn_header",
      write: (home) => {
        const text = toLines([header(home), ...TALK]);
        writeText(
          codexPath(home, "sessions/2026/11/20", rolloutName()),
          `${"\0".repeat(120)}${text.slice(120)}`,
        );
      },
      messages: 2,
    },
  ],
  [
    "codex",
    {
      title: "a file in the folder of its month",
      cause: "wrong_folder",
      write: (home) => writeThread(home, [header(home), ...TALK], "sessions/2026/11", rolloutName()),
      messages: 2,
    },
  ],
  [
    "codex",
    {
      title: "a first prompt after three hundred steps of a tool",
      cause: "late_prompt",
      write: (home) => {
        const steps = Array.from({ length: 150 }, (_, at) => [
          event({ type: "agent_reasoning", text: `Step ${at}` }),
          said("developer", `Result ${at}`),
        ]);
        writeThread(home, [header(home), ...steps.flat(), ...TALK]);
      },
      messages: 2,
    },
  ],
  [
    "gemini",
    {
      title: "a first block that a power cut left as zeros",
      cause: "torn_header",
      write: (home) => {
        writeGemini(home, [geminiHead(home), ...GEMINI_TALK]);
        const text = toLines([geminiHead(home), ...GEMINI_TALK]);
        const path = geminiPath(home, "chats", "session-2026-11-20T10-00-7c9e6679.jsonl");
        writeText(path, `${"\0".repeat(60)}${text.slice(60)}`);
      },
      messages: 2,
    },
  ],
  [
    "gemini",
    {
      title: "a head whose project is empty",
      cause: "no_project_hash",
      write: (home) => writeGemini(home, [geminiHead(home, { projectHash: "" }), ...GEMINI_TALK]),
      messages: 2,
    },
  ],
  [
    "pi",
    {
      title: "an editor that saved a byte order mark and the line ends of Windows",
      cause: "byte_order_mark",
      write: (home) => {
        const text = toLines([piHeader(home), ...PI_TALK]).replaceAll("\n", "\r\n");
        writeText(piPath(home, piFolder(home.project), NAME_OF_PI), `\ufeff${text}`);
      },
      messages: 2,
    },
  ],
  [
    "pi",
    {
      title: "a first block that a power cut left as zeros",
      cause: "torn_header",
      write: (home) => {
        const text = toLines([piHeader(home), ...PI_TALK]);
        writeText(piPath(home, piFolder(home.project), NAME_OF_PI), `${"\0".repeat(40)}${text.slice(40)}`);
      },
      messages: 2,
    },
  ],
];

/** Returns those of one agent. */
export function otherWaysOf(agent: AgentName): readonly LostRecipe[] {
  return OTHER_WAYS.flatMap(([whose, recipe]) => (whose === agent ? [recipe] : []));
}
