/**
 * The reasons why Codex's own list does not show a thread. The cases in `test/agents/lost/` check each reason with the
 * real agent.
 */

import type { CauseFacts } from "../kit/index.ts";

export type CodexCause =
  | "other_provider"
  | "exec_session"
  | "other_source"
  | "sub_agent"
  | "archived"
  | "fork_without_prompt"
  | "late_prompt"
  | "no_prompt_event"
  | "empty_prompt"
  | "torn_header"
  | "incomplete_header"
  | "wrong_folder"
  | "file_name"
  | "folder_gone"
  | "goal_start"
  | "state_database";

const TODAY = "The file counts as changed today.";

const made = { by: "continuo", list: "every", intended: false, evidence: "made" } as const;
const reported = { by: "person", list: "every", intended: false, evidence: "reported" } as const;

export const CODEX_CAUSES: Readonly<Record<CodexCause, CauseFacts>> = {
  other_provider: {
    ...made,
    means: "It was recorded under another model provider than the one of `config.toml`.",
    bringsBack: "The provider of the settings in the header of the file.",
    changes: `Codex asks the provider of the settings when it goes on, which cannot read reasoning that the other one encrypted. ${TODAY}`,
  },
  exec_session: {
    ...made,
    intended: true,
    means: "`codex exec` made it, and the list shows what a person began.",
    bringsBack: "`codex resume --include-non-interactive`, or the source `cli` in the header of the file.",
    changes: `It is listed like a session of the terminal. ${TODAY}`,
  },
  other_source: {
    ...made,
    intended: true,
    means:
      "Another program made it through Codex, such as an MCP client, and the list shows what a person began.",
    bringsBack: "The source `cli` in the header of the file.",
    changes: `It is listed like a session of the terminal. ${TODAY}`,
  },
  sub_agent: {
    ...made,
    by: "person",
    intended: true,
    means: "It is the work of a sub-agent or of a review, and belongs to the session that started it.",
    bringsBack: "Open the session that started it.",
    changes: "Nothing.",
  },
  archived: {
    ...made,
    by: "agent",
    intended: true,
    means: "It is archived.",
    bringsBack: "`codex unarchive ID`.",
    changes: "Codex moves the file back among the others.",
  },
  fork_without_prompt: {
    ...made,
    by: "person",
    intended: true,
    means: "It is a fork in which nothing was said yet, and its words are those of another thread.",
    bringsBack: "`codex resume ID`, and a prompt.",
    changes: "The fork has a turn of its own.",
  },
  late_prompt: {
    ...made,
    means: "The first prompt stands after the first 210 lines, where the list no longer looks.",
    bringsBack: "The line with the prompt moves to the place after the header.",
    changes: `Codex shows the prompt before what stood in front of it. What the model receives stays as it is. ${TODAY}`,
  },
  no_prompt_event: {
    ...made,
    means:
      "It holds what the model received, and not what the person was shown: other programs write such files.",
    bringsBack: "The lines of what was shown, made from what the model received.",
    changes: `The conversation is shown, too. What the model receives stays as it is. ${TODAY}`,
  },
  empty_prompt: {
    ...made,
    means: "The first prompt is empty, or is only what an editor put around one.",
    bringsBack: "The prompt is shown with the first words of the answer.",
    changes: `Only what is shown: what the model receives stays as it is. ${TODAY}`,
  },
  torn_header: {
    ...made,
    means: "The first line, which says whose session it is, is damaged or missing.",
    bringsBack: "A new first line, from the name of the file and from the other lines; damaged lines go.",
    changes: `The session can be resumed again. ${TODAY}`,
  },
  incomplete_header: {
    ...made,
    means: "The first line lacks a field without which Codex reads nothing of the file.",
    bringsBack: "The missing fields, from the other lines.",
    changes: `The session can be resumed again. ${TODAY}`,
  },
  wrong_folder: {
    ...made,
    means: "The file is not in a folder of year, month and day.",
    bringsBack: "The file moves to the folder of its day.",
    changes: TODAY,
  },
  file_name: {
    ...made,
    means: "The name of the file is not that of a rollout, which has a time and an id.",
    bringsBack: "The file is named by the time and the id in its header.",
    changes: TODAY,
  },
  folder_gone: {
    ...made,
    by: "person",
    list: "folder",
    intended: true,
    means:
      "The folder that it worked in was moved, renamed or deleted, and the list is that of the folder in which it is opened.",
    bringsBack: "`continuo relocate OLD NEW`, which changes every place that names the folder.",
    changes: "The session works in the new folder.",
  },
  goal_start: {
    ...reported,
    means: "Older versions do not list a session that began with `/goal`.",
    bringsBack: "A newer Codex, which does.",
    changes: "Nothing in the session.",
  },
  state_database: {
    ...reported,
    means: "The database `state_N.sqlite` misses sessions, in programs that ask only for what is in it.",
    bringsBack:
      "`codex doctor`; with Codex closed, the file can be moved away, because Codex makes it again.",
    changes: "Names that stand only in the database are gone.",
  },
};
