/**
 * The reasons why Claude Code's own list does not show a session. The cases in `test/agents/lost/` check each reason
 * with the real agent.
 */

import type { CauseFacts } from "../kit/index.ts";

export type ClaudeCause =
  | "long_first_prompt"
  | "late_first_prompt"
  | "no_prompt"
  | "no_user_record"
  | "sidechain_first"
  | "torn_first_line"
  | "byte_order_mark"
  | "other_folder"
  | "file_name"
  | "linked_file"
  | "continued_elsewhere"
  | "stale_index"
  | "hidden_in_editor"
  | "swept"
  | "shared_folder";

const TITLE = "A title at the end of its file, which the list reads too.";
const TITLED =
  "The file gets one more line, and counts as changed today. What the model receives stays as it is.";
const MOVED = "The file, and the folder of the session next to it, move. The file counts as changed today.";

const made = { by: "continuo", list: "every", intended: false, evidence: "made" } as const;
const reported = { by: "person", list: "every", intended: false, evidence: "reported" } as const;

export const CLAUDE_CAUSES: Readonly<Record<ClaudeCause, CauseFacts>> = {
  long_first_prompt: {
    ...made,
    means: "The first prompt is longer than the 64 KiB from which the list takes a name for the session.",
    bringsBack: TITLE,
    changes: TITLED,
  },
  late_first_prompt: {
    ...made,
    means: "The first prompt stands after the first 64 KiB, for example after a long snapshot of files.",
    bringsBack: TITLE,
    changes: TITLED,
  },
  no_prompt: {
    ...made,
    means:
      "No prompt is a name for it: there are only interruptions, output of commands, or notes to the model.",
    bringsBack: TITLE,
    changes: TITLED,
  },
  no_user_record: {
    ...made,
    means: "It has answers, and no record of what they answer.",
    bringsBack: TITLE,
    changes: TITLED,
  },
  sidechain_first: {
    ...made,
    means:
      "Its first record is marked as the work of a sub-agent, so the list takes the whole session for such work.",
    bringsBack:
      "The mark is taken off every record if all have it, else off those that the conversation follows; a first line without it where none of them is followed.",
    changes:
      "The records of a session that was all a sub-agent's become a conversation that can be resumed. The file counts as changed today.",
  },
  torn_first_line: {
    ...made,
    means: "The first record, which held the first prompt, is damaged.",
    bringsBack: TITLE,
    changes: `${TITLED} The damaged record stays as it is.`,
  },
  byte_order_mark: {
    ...made,
    means:
      "The file begins with a byte order mark, as some editors write it, and its first prompt is not read.",
    bringsBack: "The three bytes of the mark are taken off.",
    changes: "The first prompt is sent to the model again. The file counts as changed today.",
  },
  other_folder: {
    ...made,
    list: "folder",
    means: "It lies in the folder of another project than the one that its records name.",
    bringsBack: "The file moves to the folder of its project.",
    changes: MOVED,
  },
  file_name: {
    ...made,
    means: "The name of the file is not the id of a session, and the list opens no other file.",
    bringsBack: "The file is named by the id in its records, or by a new one where that is taken.",
    changes: MOVED,
  },
  linked_file: {
    ...made,
    by: "person",
    means: "The file is a symbolic link, which the list does not follow.",
    bringsBack: "The file itself in the place of the link.",
    changes: "The file at the other end of the link is no longer the session that Claude Code writes to.",
  },
  continued_elsewhere: {
    ...made,
    by: "person",
    intended: true,
    means: "It says at its end that it goes on in another session, and the list shows that one in its place.",
    bringsBack: "Resume the other session, or this one by its id.",
    changes: "Nothing.",
  },
  stale_index: {
    ...reported,
    means: "Older versions list what stands in `sessions-index.json`, which misses sessions.",
    bringsBack: "A newer Claude Code, which does not ask that file.",
    changes: "Nothing in the sessions.",
  },
  hidden_in_editor: {
    ...reported,
    means: "The extension for VS Code keeps a list of hidden sessions, `hiddenSessionIds`, that only grows.",
    bringsBack: "The terminal's list shows them; the extension forgets them when its state is cleared.",
    changes: "Nothing in the sessions.",
  },
  swept: {
    ...reported,
    means: "The desktop app still names a session whose file Claude Code deleted because of its age.",
    bringsBack: "A backup of the file.",
    changes: "Nothing in the sessions.",
  },
  shared_folder: {
    ...reported,
    means: "Older versions mix two projects whose paths are longer than 200 characters.",
    bringsBack: "A newer Claude Code, which tells them apart.",
    changes: "Nothing in the sessions.",
  },
};
