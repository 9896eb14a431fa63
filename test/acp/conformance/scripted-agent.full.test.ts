/** The scripted agent, against which the driver is tested, by the rules of the protocol's test kit. */

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chunk, DONE, type Script } from "../script.ts";
import { SCRIPTED_AGENT } from "../scripted-program.ts";
import { describeConformance, type Subject } from "./v1.ts";

const MODES = [
  { id: "ask", name: "Ask" },
  { id: "plan", name: "Plan" },
];
const MODELS = [
  { value: "small", name: "Small" },
  { value: "large", name: "Large" },
];
const SCRIPT: Script = {
  hello: {
    protocolVersion: 1,
    agentInfo: { name: "scripted-agent", version: "1.0.0" },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
    },
    authMethods: [],
  },
  session: {
    modes: { currentModeId: "ask", availableModes: MODES },
    configOptions: [
      {
        id: "model",
        name: "Model",
        type: "select",
        category: "model",
        currentValue: "small",
        options: MODELS,
      },
    ],
  },
  prompts: {
    "a long story": [chunk("Once"), { untilCancelled: true }, { result: { stopReason: "cancelled" } }],
    "fix it": [
      {
        update: { sessionUpdate: "plan", entries: [{ content: "Fix", priority: "high", status: "pending" }] },
      },
      {
        update: {
          sessionUpdate: "tool_call",
          toolCallId: "call-1",
          title: "Edit",
          kind: "edit",
          status: "pending",
        },
      },
      {
        ask: {
          toolCall: { toolCallId: "call-1" },
          options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
        },
      },
      { update: { sessionUpdate: "tool_call_update", toolCallId: "call-1", status: "completed" } },
      DONE,
    ],
  },
};

function scriptedAgent(): Subject {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "continuo-acp-rules-")));
  const file = join(cwd, "script.json");
  writeFileSync(file, JSON.stringify(SCRIPT));
  return {
    program: {
      command: [process.execPath, SCRIPTED_AGENT, file],
      cwd,
      env: { PATH: process.env.PATH ?? "" },
    },
    cwd,
    prompt: "hello",
    endless: "a long story",
    asking: "fix it",
    [Symbol.dispose]: () => rmSync(cwd, { recursive: true, force: true }),
  };
}

describeConformance("the scripted agent", scriptedAgent, { unclaimed: [] });
