/**
 * The reasons why opencode's own list does not show a session. For each cause that is `made`, a test in
 * `test/agents/lost/` shows that the real agent hides the session.
 */

import type { CauseFacts } from "../kit/index.ts";

export type OpencodeCause =
  | "git_removed"
  | "other_project"
  | "other_path"
  | "parent_gone"
  | "sub_agent"
  | "archived"
  | "not_copied";

const made = { by: "continuo", list: "every", intended: false, evidence: "made" } as const;
const reported = { by: "person", list: "every", intended: false, evidence: "reported" } as const;
const PROJECT = "The project of the folder in the row of the session.";
const ROW = "One row of opencode's database. What was said stays as it is.";

export const OPENCODE_CAUSES: Readonly<Record<OpencodeCause, CauseFacts>> = {
  git_removed: {
    ...made,
    means:
      "Its folder is no git repository any more, and the list of the folder shows sessions without a repository.",
    bringsBack: PROJECT,
    changes: ROW,
  },
  other_project: {
    ...made,
    means:
      "Its folder belongs to another project than before: the first commit or the remote of the repository is another one, or there was none.",
    bringsBack: PROJECT,
    changes: ROW,
  },
  other_path: {
    ...made,
    list: "folder",
    means:
      "The row of the session names another path than its folder has, and the terminal filters by that path.",
    bringsBack: "The path of its folder in the row of the session.",
    changes: ROW,
  },
  parent_gone: {
    ...made,
    means: "Another session started it, and the list shows no such session; that other session is gone.",
    bringsBack: "A row of the session that names no other one.",
    changes: `It is a session of its own. ${ROW}`,
  },
  sub_agent: {
    ...made,
    by: "person",
    intended: true,
    means: "It is the work of a sub-agent, and belongs to the session that started it.",
    bringsBack: "Open the session that started it.",
    changes: "Nothing.",
  },
  archived: {
    ...reported,
    intended: true,
    means: "It is archived: the desktop app does not show it, and the terminal does.",
    bringsBack: "The terminal's list shows it.",
    changes: "Nothing in the session.",
  },
  not_copied: {
    ...reported,
    means:
      "Older versions kept files in `storage/`, and the first start of a newer one did not copy all of them.",
    bringsBack:
      "The older version, which reads the files; `opencode export ID` there, and `opencode import` here.",
    changes: "A session with the same id is in the database.",
  },
};
