/** Writes a session of another agent on the same machine. The session mentions a lighthouse. */

import type { Sandbox } from "../sandbox.ts";

/** @param of the agent whose session it is */
export async function writeOtherSession(sandbox: Sandbox, of: "codex" | "claude" = "codex"): Promise<void> {
  const [path, lines] = of === "codex" ? codexSession() : claudeSession();
  await sandbox.write(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

const SAID = "The lighthouse is closed on Tuesdays.";
const ID = "01999999-1111-7222-8333-000000000001";

type SessionFile = readonly [path: string, lines: readonly object[]];

function codexSession(): SessionFile {
  const at = (second: number): string => `2025-01-06T08:00:0${second}.000Z`;
  const lines = [
    {
      timestamp: at(0),
      type: "session_meta",
      payload: {
        id: ID,
        timestamp: at(0),
        cwd: "/elsewhere",
        originator: "codex_exec",
        cli_version: "0.169.0",
      },
    },
    {
      timestamp: at(1),
      type: "response_item",
      payload: { type: "message", role: "user", content: [{ type: "input_text", text: SAID }] },
    },
  ];
  return [`.codex/sessions/2025/01/06/rollout-2025-01-06T08-00-00-${ID}.jsonl`, lines];
}

function claudeSession(): SessionFile {
  const said = { role: "user", content: SAID };
  const place = {
    cwd: "/elsewhere",
    version: "2.1.330",
    sessionId: ID,
    isSidechain: false,
    userType: "external",
  };
  const line = { ...place, type: "user", uuid: ID, parentUuid: null, timestamp: "2025-01-06T08:00:00.000Z" };
  return [`.claude/projects/-elsewhere/${ID}.jsonl`, [{ ...line, message: said }]];
}
