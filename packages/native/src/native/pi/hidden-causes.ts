/**
 * The reasons why pi's own list does not show a session. For each cause that is `made`, a test in `test/agents/lost/`
 * shows that the real agent hides the session.
 */

import type { CauseFacts } from "../kit/index.ts";

export type PiCause =
  | "torn_header"
  | "no_header"
  | "header_later"
  | "byte_order_mark"
  | "wrong_folder"
  | "other_folder"
  | "file_ending"
  | "folder_gone"
  | "other_session_dir"
  | "unread_content";

const made = { by: "continuo", list: "every", intended: false, evidence: "made" } as const;
const RESUMED = "pi can open the session again. Damaged lines go.";

export const PI_CAUSES: Readonly<Record<PiCause, CauseFacts>> = {
  torn_header: {
    ...made,
    means:
      "The first line, the header of the session, is damaged, and pi does not recognise the file as a session.",
    bringsBack: "A new first line, from the names of the file and of its folder.",
    changes: RESUMED,
  },
  no_header: {
    ...made,
    means:
      "The first line, the header of the session, is missing, and pi does not recognise the file as a session.",
    bringsBack: "A new first line, from the names of the file and of its folder.",
    changes: RESUMED,
  },
  header_later: {
    ...made,
    means: "Another entry comes before the header of the session.",
    bringsBack: "That entry moves to the beginning.",
    changes: RESUMED,
  },
  byte_order_mark: {
    ...made,
    means:
      "The file begins with a byte order mark, as some editors write it, and its first line is not read.",
    bringsBack: "The three bytes of the mark are taken off.",
    changes: RESUMED,
  },
  wrong_folder: {
    ...made,
    means: "The file is not in a folder of a project, directly below `sessions`.",
    bringsBack: "The file moves to the folder of its project.",
    changes: "Nothing in the session.",
  },
  other_folder: {
    ...made,
    list: "folder",
    means: "It lies in the folder of another project than the one that its first line names.",
    bringsBack: "The file moves to the folder of its project.",
    changes: "Nothing in the session.",
  },
  file_ending: {
    ...made,
    means:
      "The name of the file does not end in `.jsonl`: it is a copy, or a write that was cut off, and the session itself is gone.",
    bringsBack: "The file gets a name that pi gives.",
    changes: "Nothing in the session.",
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
  other_session_dir: {
    ...made,
    by: "agent",
    means:
      "`sessionDir` or `PI_CODING_AGENT_SESSION_DIR` names another folder, and the list shows only that one.",
    bringsBack: "`pi --session-dir FOLDER --resume`.",
    changes: "Nothing in the session.",
  },
  unread_content: {
    ...made,
    means:
      "A message in it has content that is neither a text nor a list of blocks, at which the list gives up.",
    bringsBack: "The message in a form that pi reads.",
    changes: "pi can send the message to its model again. Damaged lines go.",
  },
};
