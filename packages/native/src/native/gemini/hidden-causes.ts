/**
 * The reasons why Gemini CLI's own list does not show a session. For each cause that is `made`, a test in
 * `test/agents/lost/` shows that the real agent hides the session.
 */

import type { CauseFacts } from "../kit/index.ts";

export type GeminiCause =
  | "torn_header"
  | "no_project_hash"
  | "file_name"
  | "sub_agent"
  | "empty_twin"
  | "expired_twin"
  | "older_than_allowed"
  | "beyond_count"
  | "older_twin"
  | "nothing_resumable"
  | "rewound"
  | "other_project_folder"
  | "older_storage";

const made = { by: "continuo", list: "every", intended: false, evidence: "made" } as const;
const KEPT =
  "Gemini CLI deletes a file that it cannot list at one of its next starts; it keeps this one then.";
const MOVED =
  "The file, and what belongs to the session, moves to the folder that `~/.gemini/projects.json` names.";
const SETTING = "`general.sessionRetention.enabled: false` in the settings keeps all of them.";

export const GEMINI_CAUSES: Readonly<Record<GeminiCause, CauseFacts>> = {
  torn_header: {
    ...made,
    means: "The record that names the session and its project is damaged or missing.",
    bringsBack: "A new first line, from the name of the file and from its messages.",
    changes: `${KEPT} Damaged lines go.`,
  },
  no_project_hash: {
    ...made,
    means: "The record that names the session does not name its project.",
    bringsBack: "The project in that record.",
    changes: KEPT,
  },
  file_name: {
    ...made,
    means: "The name of the file does not begin with `session-`, and the list opens no other file.",
    bringsBack: "The file gets a name that is listed.",
    changes: "Nothing in the session.",
  },
  sub_agent: {
    ...made,
    by: "person",
    intended: true,
    means: "It is the work of a sub-agent, and belongs to the session that started it.",
    bringsBack: "Open the session that started it.",
    changes: "Nothing.",
  },
  empty_twin: {
    ...made,
    means:
      "Another file, without a conversation, has a name with the same last eight characters, and the list deletes both. Each resumption leaves such a file.",
    bringsBack: "The complete id in the name of the file.",
    changes: `Nothing in the session. ${SETTING}`,
  },
  expired_twin: {
    ...made,
    means:
      "Another file, which is too old or exceeds the count, has a name with the same last eight characters, and the list deletes both.",
    bringsBack: "The complete id in the name of the file.",
    changes: `Nothing in the session. ${SETTING}`,
  },
  older_than_allowed: {
    ...made,
    intended: true,
    means:
      "It is older than `general.sessionRetention.maxAge`, 30 days by default, and the list deletes it before it shows the others.",
    bringsBack: "A line with the current time at the end of its file.",
    changes: `The session counts as changed today. ${SETTING}`,
  },
  beyond_count: {
    ...made,
    by: "person",
    intended: true,
    means:
      "It is not among the newest files of its project that `general.sessionRetention.maxCount` allows, and the list deletes it before it shows the others.",
    bringsBack: "`continuo guard retention gemini`, which lets Gemini CLI keep all of them.",
    changes:
      "A setting. Nothing in the session, because a new time in it would make the list delete another session.",
  },
  older_twin: {
    ...made,
    by: "person",
    intended: true,
    means: "Two files have its id, and the list shows the one that was written to last.",
    bringsBack: "`continuo session show FILE` reads the older file.",
    changes: "Nothing.",
  },
  nothing_resumable: {
    ...made,
    by: "person",
    intended: true,
    means: "It has only notes of the program, so there is no conversation to resume.",
    bringsBack: "Nothing: nobody said anything in it.",
    changes: "Nothing.",
  },
  rewound: {
    ...made,
    intended: true,
    means: "A rewind removed all messages, and the list shows no session without messages.",
    bringsBack: "The rewind goes, and the messages before it are there again.",
    changes: KEPT,
  },
  other_project_folder: {
    ...made,
    means: "The list shows one project, whose folder below `~/.gemini/tmp` has changed.",
    bringsBack: MOVED,
    changes: "Nothing in the session.",
  },
  older_storage: {
    ...made,
    means: "A newer version of Gemini CLI uses another folder, and did not copy the session.",
    bringsBack: MOVED,
    changes: "Nothing in the session.",
  },
};
