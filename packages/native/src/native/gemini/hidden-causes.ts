/** Why Gemini CLI's own list does not show a session. Each that is `made` is hidden by the real one in `test/agents/lost/`. */

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
      "The name of another file, in which Gemini CLI finds no conversation, ends in the same eight characters, and the list deletes both: each resumption leaves such a file.",
    bringsBack: "All of its id in the name of the file.",
    changes: `Nothing in the session. ${SETTING}`,
  },
  expired_twin: {
    ...made,
    means:
      "The name of another file, which is too old or one too many, ends in the same eight characters, and the list deletes both.",
    bringsBack: "All of its id in the name of the file.",
    changes: `Nothing in the session. ${SETTING}`,
  },
  older_than_allowed: {
    ...made,
    intended: true,
    means:
      "It is older than `general.sessionRetention.maxAge`, 30 days by default, and the list deletes it before it shows the others.",
    bringsBack: "A line with the time of now at the end of its file.",
    changes: `The session counts as changed today. ${SETTING}`,
  },
  beyond_count: {
    ...made,
    by: "person",
    intended: true,
    means:
      "It is not among the newest files of its project that `general.sessionRetention.maxCount` allows, and the list deletes it before it shows the others.",
    bringsBack: "`continuo guard retention gemini`, which lets Gemini CLI keep all of them.",
    changes: "A setting. Nothing in the session: a time of now would push another one out.",
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
    means: "It holds notes of the program and no conversation, and nothing could be resumed.",
    bringsBack: "Nothing: nobody said anything in it.",
    changes: "Nothing.",
  },
  rewound: {
    ...made,
    intended: true,
    means: "A rewind took out everything that was said, and the list shows no session without messages.",
    bringsBack: "The rewind goes, and the messages before it are there again.",
    changes: KEPT,
  },
  other_project_folder: {
    ...made,
    means:
      "The list is that of one project, and the project has another folder below `~/.gemini/tmp` than before.",
    bringsBack: MOVED,
    changes: "Nothing in the session.",
  },
  older_storage: {
    ...made,
    means:
      "A newer version looks in another folder than the one that wrote it, and did not copy the session.",
    bringsBack: MOVED,
    changes: "Nothing in the session.",
  },
};
