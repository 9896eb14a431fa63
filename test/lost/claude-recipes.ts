/** Sessions that Claude Code's own list does not show. `test/agents/lost/` checks each with the real program. */

import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { type LostHome, type LostRecipe, toLines, writeText } from "./recipe.ts";

const ID = "0b7c1f7e-3d51-4c0e-9a52-6f1f3f0a9c11";
const OTHER = "5a1d2c3b-7e8f-4a90-8b1c-2d3e4f5a6b7c";

/** The name of the folder in which Claude Code keeps the sessions of a project. */
export function folderName(cwd: string): string {
  return cwd.replaceAll(/[^a-zA-Z0-9]/g, "-");
}

export function sessionPath(
  home: LostHome,
  name: string = `${ID}.jsonl`,
  folder: string = folderName(home.project),
): string {
  return join(home.root, ".claude", "projects", folder, name);
}

interface Said {
  readonly role: "user" | "assistant";
  readonly content: unknown;
  readonly extra?: object;
}

/** A chain of records as Claude Code 2.1.332 writes them. */
export function talk(home: LostHome, said: readonly Said[], sessionId: string = ID): readonly object[] {
  return said.map(({ role, content, extra }, at) => ({
    parentUuid: at === 0 ? null : uuidAt(at - 1),
    isSidechain: false,
    userType: "external",
    cwd: home.project,
    sessionId,
    version: "2.1.332",
    gitBranch: "main",
    type: role,
    message:
      role === "user"
        ? { role, content }
        : {
            id: `msg_${at}`,
            type: "message",
            role,
            model: "claude-sonnet-5-5",
            content: [{ type: "text", text: content }],
            stop_reason: "end_turn",
            stop_sequence: null,
            usage: { input_tokens: 10, output_tokens: 5 },
          },
    uuid: uuidAt(at),
    timestamp: new Date(Date.UTC(2026, 10, 20, 9, 0, at)).toISOString(),
    ...extra,
  }));
}

function uuidAt(at: number): string {
  return `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
}

const ASKED: Said = { role: "user", content: "Why does the retry loop never end?" };
const ANSWERED: Said = { role: "assistant", content: "The counter is reset inside of the loop." };
const INTERRUPTED: Said = {
  role: "user",
  content: [{ type: "text", text: "[Request interrupted by user]" }],
};
const OUTPUT: Said = { role: "user", content: "<local-command-stdout>v24.1.0</local-command-stdout>" };

function write(home: LostHome, said: readonly Said[]): void {
  writeText(sessionPath(home), toLines(talk(home, said)));
}

export const CLAUDE_RECIPES: readonly LostRecipe[] = [
  {
    title: "a first prompt of 70 kB",
    cause: "long_first_prompt",
    write: (home) =>
      write(home, [{ role: "user", content: `Sum up: ${"lorem ipsum ".repeat(6000)}` }, ANSWERED]),
    messages: 2,
  },
  {
    title: "a 200 kB snapshot of files before the first prompt",
    cause: "late_first_prompt",
    write: (home) => {
      const snapshot = { messageId: uuidAt(0), trackedFileBackups: { "notes.md": "x".repeat(200_000) } };
      const first = {
        type: "file-history-snapshot",
        messageId: uuidAt(0),
        snapshot,
        isSnapshotUpdate: false,
      };
      writeText(sessionPath(home), toLines([first, ...talk(home, [ASKED, ANSWERED])]));
    },
    messages: 2,
  },
  {
    title: "an interruption as the only message of a user",
    cause: "no_prompt",
    write: (home) => write(home, [INTERRUPTED, ANSWERED]),
    messages: 2,
  },
  {
    title: "the output of a command as the only message of a user",
    cause: "no_prompt",
    write: (home) => write(home, [OUTPUT, ANSWERED]),
    messages: 2,
  },
  {
    title: "only notes to the model",
    cause: "no_prompt",
    write: (home) => write(home, [{ ...ASKED, extra: { isMeta: true } }, ANSWERED]),
    messages: 1,
    resumed: 2,
  },
  {
    title: "only an answer of the model",
    cause: "no_user_record",
    write: (home) => write(home, [ANSWERED]),
    messages: 1,
  },
  {
    title: "every record marked as a sub-agent's",
    cause: "sidechain_first",
    write: (home) =>
      write(
        home,
        [ASKED, ANSWERED].map((one) => ({ ...one, extra: { isSidechain: true } })),
      ),
    messages: 2,
  },
  {
    title: "only the first record marked as a sub-agent's",
    cause: "sidechain_first",
    write: (home) => write(home, [{ ...ASKED, extra: { isSidechain: true } }, ANSWERED]),
    messages: 2,
  },
  {
    title: "a torn first line",
    cause: "torn_first_line",
    write: (home) => writeText(sessionPath(home), toLines(talk(home, [ASKED, ANSWERED])).slice(150)),
    messages: 1,
  },
  {
    title: "a byte order mark",
    cause: "byte_order_mark",
    write: (home) => writeText(sessionPath(home), `\ufeff${toLines(talk(home, [ASKED, ANSWERED]))}`),
    messages: 2,
  },
  {
    title: "the folder of a project that was renamed",
    cause: "other_folder",
    write: (home) => {
      const folder = folderName(join(home.root, "old-name"));
      writeText(sessionPath(home, `${ID}.jsonl`, folder), toLines(talk(home, [ASKED, ANSWERED])));
      writeText(sessionPath(home, join(ID, "tool-results", "1.txt"), folder), "a long result\n");
    },
    messages: 2,
  },
  {
    title: "a file named by a person",
    cause: "file_name",
    write: (home) => {
      writeText(sessionPath(home, "retry loop.jsonl"), toLines(talk(home, [ASKED, ANSWERED])));
    },
    messages: 2,
  },
  {
    title: "a copy of a session next to it",
    cause: "file_name",
    write: (home) => {
      write(home, [ASKED, ANSWERED]);
      writeText(sessionPath(home, `${ID} (copy).jsonl`), toLines(talk(home, [ASKED, ANSWERED, ASKED])));
    },
    messages: 3,
  },
  {
    title: "a symbolic link instead of the file",
    cause: "linked_file",
    write: (home) => {
      const kept = join(home.root, "kept.jsonl");
      writeText(kept, toLines(talk(home, [ASKED, ANSWERED])));
      writeText(sessionPath(home, "notes.txt"), "");
      symlinkSync(kept, sessionPath(home));
    },
  },
  {
    title: "a session that names another one as its continuation",
    cause: "continued_elsewhere",
    write: (home) => {
      const end = { type: "continued-in", sessionId: ID, continuedInSessionId: OTHER };
      writeText(sessionPath(home), toLines([...talk(home, [ASKED, ANSWERED]), end]));
      writeText(sessionPath(home, `${OTHER}.jsonl`), toLines(talk(home, [ASKED, ANSWERED], OTHER)));
    },
  },
];
