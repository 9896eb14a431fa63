/** The scripted agent, against which the driver is tested, by the rules of the protocol's test kit for both versions. */

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chunk, DONE, type Script, type ScriptStep } from "../script.ts";
import { SCRIPTED_AGENT } from "../scripted-program.ts";
import { describeConformance, type Subject } from "./v1.ts";
import { describeConformance2 } from "./v2.ts";

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

const THOUGHT: ScriptStep = {
  update: { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "A moment." } },
};
const EDIT = { toolCallId: "call-2", title: "Edit", name: "edit", kind: "edit" };

const SCRIPT_2: Script = {
  states: true,
  hello: {
    protocolVersion: 2,
    info: { name: "scripted-agent", version: "1.0.0" },
    capabilities: {
      session: {
        prompt: { image: {}, audio: {}, embeddedContext: {} },
        mcp: { stdio: {}, http: {} },
        delete: {},
        additionalDirectories: {},
      },
    },
    authMethods: [],
    _meta: { "example.org/script": {} },
  },
  session: {
    configOptions: [
      {
        configId: "model",
        name: "Model",
        type: "select",
        category: "model",
        currentValue: "small",
        options: MODELS,
      },
    ],
  },
  prompts: {
    "a long story": [
      THOUGHT,
      chunk("Once"),
      chunk(" upon"),
      { untilCancelled: true },
      { result: { stopReason: "cancelled" } },
    ],
    "fix it": [
      THOUGHT,
      {
        update: {
          sessionUpdate: "plan_update",
          plan: {
            type: "items",
            planId: "plan-1",
            entries: [{ content: "Fix", priority: "high", status: "pending" }],
          },
        },
      },
      {
        update: {
          sessionUpdate: "tool_call_update",
          toolCallId: "call-1",
          title: "Run the tests",
          kind: "execute",
          status: "in_progress",
          content: [{ type: "terminal", terminalId: "terminal-1" }],
        },
      },
      {
        update: {
          sessionUpdate: "terminal_update",
          terminalId: "terminal-1",
          cwd: "/work",
          command: "npm test",
        },
      },
      {
        update: {
          sessionUpdate: "terminal_output_chunk",
          terminalId: "terminal-1",
          data: Buffer.from("ok\n").toString("base64"),
        },
      },
      { update: { sessionUpdate: "tool_call_update", toolCallId: "call-1", status: "completed" } },
      { update: { sessionUpdate: "tool_call_update", ...EDIT, status: "pending" } },
      {
        ask: {
          title: "Edit",
          subject: { type: "tool_call", toolCall: EDIT },
          options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
        },
      },
      { update: { sessionUpdate: "tool_call_update", toolCallId: "call-2", status: "completed" } },
      chunk("It is"),
      chunk(" fixed."),
      DONE,
    ],
  },
};

function scriptedAgent(script: Script): Subject {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "continuo-acp-rules-")));
  const file = join(cwd, "script.json");
  writeFileSync(file, JSON.stringify(script));
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

describeConformance("the scripted agent", () => scriptedAgent(SCRIPT), { unclaimed: [] });
// It has no logins.
describeConformance2("the scripted agent", () => scriptedAgent(SCRIPT_2), { unclaimed: ["AUTH-207"] });
