/** Sessions that pi's own list does not show. `test/agents/lost/` checks each with the real program. */

import { join } from "node:path";
import { type LostHome, type LostRecipe, toLines, writeText } from "./recipe.ts";

export const PI_ID = "019f3a00-1b2c-7d3e-8f40-516273849501";
const NAME = `2026-11-20T10-00-00-000Z_${PI_ID}.jsonl`;
const TIME = "2026-11-20T10:00:00.000Z";

/** The name of the folder of a project. */
export function piFolder(cwd: string): string {
  return `--${cwd.replace(/^\//u, "").replaceAll("/", "-")}--`;
}

export function piPath(home: LostHome, ...parts: readonly string[]): string {
  return join(home.root, ".pi", "agent", "sessions", ...parts);
}

export function piHeader(home: LostHome, more: object = {}): object {
  return { type: "session", version: 3, id: PI_ID, timestamp: TIME, cwd: home.project, ...more };
}

export const PI_TALK: readonly object[] = [
  entry("a0000001", null, { role: "user", content: "Why does the retry loop never end?", timestamp: 1 }),
  entry("a0000002", "a0000001", {
    role: "assistant",
    content: [{ type: "text", text: "The counter is reset inside of the loop." }],
    api: "openai-completions",
    provider: "fake",
    model: "fake-1",
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: {} },
    stopReason: "stop",
    timestamp: 2,
  }),
];

export function entry(id: string, parentId: string | null, message: object): object {
  return { type: "message", id, parentId, timestamp: TIME, message };
}

export function writePi(home: LostHome, lines: readonly object[], ...place: readonly string[]): void {
  const parts = place.length > 0 ? place : [piFolder(home.project), NAME];
  writeText(piPath(home, ...parts), toLines(lines));
}

export const PI_RECIPES: readonly LostRecipe[] = [
  {
    title: "a torn header",
    cause: "torn_header",
    write: (home) => {
      const text = toLines([piHeader(home), ...PI_TALK]).slice(20);
      writeText(piPath(home, piFolder(home.project), NAME), text);
    },
    messages: 2,
  },
  { title: "no header", cause: "no_header", write: (home) => writePi(home, PI_TALK), messages: 2 },
  {
    title: "an entry before the header",
    cause: "header_later",
    write: (home) => {
      const first = {
        type: "model_change",
        id: "a0000000",
        parentId: null,
        timestamp: TIME,
        provider: "fake",
        modelId: "fake-1",
      };
      writePi(home, [first, piHeader(home), ...PI_TALK]);
    },
    messages: 2,
  },
  {
    title: "a byte order mark",
    cause: "byte_order_mark",
    write: (home) => {
      writeText(piPath(home, piFolder(home.project), NAME), `\ufeff${toLines([piHeader(home), ...PI_TALK])}`);
    },
    messages: 2,
  },
  {
    title: "a file directly in the folder of sessions",
    cause: "wrong_folder",
    write: (home) => writePi(home, [piHeader(home), ...PI_TALK], NAME),
    messages: 2,
  },
  {
    title: "a file one folder deeper",
    cause: "wrong_folder",
    write: (home) => writePi(home, [piHeader(home), ...PI_TALK], piFolder(home.project), "old", NAME),
    messages: 2,
  },
  {
    title: "the folder of a project that was renamed",
    cause: "other_folder",
    write: (home) => writePi(home, [piHeader(home), ...PI_TALK], piFolder(join(home.root, "old-name")), NAME),
    messages: 2,
  },
  {
    title: "a write that was cut off before its last step",
    cause: "file_ending",
    write: (home) => writePi(home, [piHeader(home), ...PI_TALK], piFolder(home.project), `${NAME}.tmp`),
    messages: 2,
  },
  {
    title: "a backup of a missing session",
    cause: "file_ending",
    write: (home) => writePi(home, [piHeader(home), ...PI_TALK], piFolder(home.project), `${NAME}.bak`),
    messages: 2,
  },
  {
    title: "a prompt that is a block and not a list",
    cause: "unread_content",
    write: (home) => {
      const [, answer] = PI_TALK;
      const content = { type: "text", text: "Why does the retry loop never end?" };
      const asked = entry("a0000001", null, { role: "user", content, timestamp: 1 });
      writePi(home, [piHeader(home), asked, answer ?? {}]);
    },
    messages: 2,
  },
  {
    title: "a prompt without content after a long talk",
    cause: "unread_content",
    write: (home) => {
      const more = entry("a0000003", "a0000002", {
        role: "user",
        content: "x".repeat(3_000_000),
        timestamp: 3,
      });
      const none = entry("a0000004", "a0000003", { role: "user", content: null, timestamp: 4 });
      writePi(home, [piHeader(home), ...PI_TALK, more, none]);
    },
    messages: 4,
  },
  {
    title: "an entry whose message is missing",
    cause: "unread_content",
    write: (home) => {
      const [asked = {}, answer = {}] = PI_TALK;
      const { message: _, ...empty } = entry("a0000009", "a0000001", {}) as { message: object };
      writePi(home, [piHeader(home), asked, empty, { ...answer, parentId: "a0000009" }]);
    },
    messages: 2,
  },
  {
    title: "another folder of sessions in the settings",
    cause: "other_session_dir",
    write: (home) => {
      writePi(home, [piHeader(home), ...PI_TALK]);
      const settings = { sessionDir: join(home.root, "pi-sessions") };
      writeText(join(home.root, ".pi", "agent", "settings.json"), JSON.stringify(settings));
    },
  },
  {
    title: "a project that was renamed",
    cause: "folder_gone",
    write: (home) => {
      const cwd = `${home.project}-before`;
      writePi(home, [piHeader(home, { cwd }), ...PI_TALK], piFolder(cwd), NAME);
    },
  },
];
