/** The tables of causes contain every known cause of each agent, with everything that a person needs to know. */

import type { AgentName } from "@continuo/core/model";
import { hiddenCauses } from "@continuo/native";
import { expect, test } from "vitest";

/** The reasons that users report or that were reproduced here, by agent, with the name of each cause. */
const KNOWN: Readonly<Partial<Record<AgentName, readonly (readonly [reason: string, cause: string])[]>>> = {
  codex: [
    ["another provider", "other_provider"],
    ["codex exec", "exec_session"],
    ["an MCP client", "other_source"],
    ["a sub-agent", "sub_agent"],
    ["a first prompt after 300 records", "late_prompt"],
    ["no message event", "no_prompt_event"],
    ["an empty first message", "empty_prompt"],
    ["archived", "archived"],
    ["a torn first line", "torn_header"],
    ["a flat folder", "wrong_folder"],
    ["another folder, or a missing one", "folder_gone"],
    ["a fork before its first message", "fork_without_prompt"],
    ["a start with /goal", "goal_start"],
    ["a database without its row", "state_database"],
  ],
  claude: [
    ["a first prompt of 70 kB", "long_first_prompt"],
    ["a snapshot of 200 kB first", "late_first_prompt"],
    ["an interruption first", "no_prompt"],
    ["no record of a user", "no_user_record"],
    ["a torn first line", "torn_first_line"],
    ["the folder of another project", "other_folder"],
    ["a file name that is not an id", "file_name"],
    ["a stale index", "stale_index"],
    ["hidden by an editor", "hidden_in_editor"],
    ["swept while the desktop app names it", "swept"],
    ["two projects in one folder", "shared_folder"],
  ],
  gemini: [
    ["metadata only, or notes only", "nothing_resumable"],
    ["a rewind to the first prompt", "rewound"],
    ["a sub-agent", "sub_agent"],
    ["a torn first line", "torn_header"],
    ["older than 30 days", "older_than_allowed"],
    ["the same last eight characters", "empty_twin"],
    ["the same last eight characters as an old file", "expired_twin"],
    ["more than the settings allow", "beyond_count"],
    ["no prefix", "file_name"],
    ["two files of one id", "older_twin"],
    ["another folder of the project", "other_project_folder"],
    ["an older version's folder", "older_storage"],
  ],
  pi: [
    ["a torn header", "torn_header"],
    ["no header", "no_header"],
    ["an entry before the header", "header_later"],
    ["a byte order mark", "byte_order_mark"],
    ["a torn rename, or a backup", "file_ending"],
    ["one folder deeper, or flat", "wrong_folder"],
    ["the folder of an old name", "other_folder"],
    ["a missing folder", "folder_gone"],
    ["another folder of sessions", "other_session_dir"],
    ["content that is not read", "unread_content"],
  ],
  opencode: [
    ["a repository without .git", "git_removed"],
    ["another first commit", "other_project"],
    ["a path without slashes", "other_path"],
    ["not copied into the database", "not_copied"],
    ["archived", "archived"],
    ["a child of another session", "sub_agent"],
  ],
};

test.each(Object.entries(KNOWN))("%s has a cause for every known reason", async (agent, reasons) => {
  const causes = await hiddenCauses(agent as AgentName);
  expect(reasons.filter(([, cause]) => causes[cause] === undefined)).toEqual([]);
});

test("a cause explains the reason, what restores the session and what that changes, and a cause that is only reported promises no edit", async () => {
  for (const agent of Object.keys(KNOWN)) {
    for (const [cause, facts] of Object.entries(await hiddenCauses(agent as AgentName))) {
      const { means, bringsBack, changes, by, evidence } = facts;
      for (const sentence of [means, bringsBack, changes])
        expect([cause, sentence]).toEqual([cause, expect.stringMatching(/^[\p{Lu}`p].+\.$/su)]);
      expect([agent, cause, evidence === "reported" && by === "continuo"]).toEqual([agent, cause, false]);
    }
  }
});
