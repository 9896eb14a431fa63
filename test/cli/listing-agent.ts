/** An agent whose files Continuo cannot read: it lists its sessions when it is asked. */

import { chunk, DONE, hello1, type Script, type ScriptStep } from "../acp/script.ts";

export function listing(list: readonly ScriptStep[]): Script {
  return {
    hello: hello1({ list: {}, resume: {} }),
    answers: { "session/list": list, "session/resume": [{ result: {} }] },
    prompts: { "*": [chunk("I hear you."), DONE] },
  };
}

const ROWS = [
  { sessionId: "there", cwd: "/elsewhere", title: "Far away", updatedAt: "2025-01-01T00:00:00Z" },
  { sessionId: "new-1", cwd: null, title: "Known to both", updatedAt: "2025-02-01T00:00:00Z" },
];
export const LISTED: ScriptStep = { result: { sessions: ROWS } };
