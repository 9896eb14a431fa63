/** The forms of agents with protocols of their own: what the person sees, and the answers in the agent's own shape. */

import type { Json } from "@continuo/files";
import { describe, expect, test } from "vitest";
import * as claude from "../../packages/agents/src/drivers/claude/permission.ts";
import * as codex from "../../packages/agents/src/drivers/codex/permission.ts";
import type { FormAnswer } from "../../packages/agents/src/drivers/link/index.ts";
import { toTextDialog } from "../../packages/agents/src/drivers/pi/dialog.ts";

const SCHEMA = { type: "object", properties: { place: { type: "string" } }, required: ["place"] };
const OPTIONS = [
  { label: "Red", description: "warm" },
  { label: "Blue", description: "cold" },
];
const CHOICES = [
  { const: "Red", title: "Red", description: "warm" },
  { const: "Blue", title: "Blue", description: "cold" },
];
const accept = (content: Json): FormAnswer => ({ action: "accept", content });
const DECLINED: FormAnswer = { action: "decline", content: {} };
const CANCELLED: FormAnswer = { action: "cancel", content: {} };

describe("Codex", () => {
  const formOf = (method: string, params: Json, call?: Json) =>
    codex.toFormRequest({ method, params, call: call as never });
  const server = (params: Json) =>
    formOf("mcpServer/elicitation/request", {
      threadId: "t",
      serverName: "forms",
      message: "Where?",
      ...params,
    });
  const ask = (question: Json, call?: Json) =>
    formOf(
      "item/tool/requestUserInput",
      {
        itemId: "i1",
        questions: [
          {
            id: "colour",
            header: "Colour",
            question: "Which?",
            isOther: true,
            options: OPTIONS,
            ...question,
          },
        ],
      },
      call,
    );

  test("passes the form of an MCP server on with the server's name, and answers with a content only if it was accepted", () => {
    const shown = server({ mode: "form", requestedSchema: SCHEMA });
    expect(shown?.form).toEqual({ mode: "form", message: "forms: Where?", requestedSchema: SCHEMA });
    expect([accept({ place: "here" }), DECLINED, CANCELLED].map((one) => shown?.answer(one))).toEqual([
      { action: "accept", content: { place: "here" } },
      { action: "decline", content: null },
      { action: "cancel", content: null },
    ]);
  });

  test("passes on a page that an MCP server wants to be visited, and sends no content back", () => {
    const shown = server({ mode: "url", url: "https://example.org", elicitationId: "e1" });
    expect(shown?.form).toEqual({
      mode: "url",
      message: "forms: Where?",
      url: "https://example.org",
      elicitationId: "e1",
    });
    expect(shown?.answer(accept({}))).toEqual({ action: "accept", content: null });
  });

  test("makes a form of its questions; another answer and the chosen one both go back by the question's id", () => {
    const shown = ask({}, { toolCallId: "i1" });
    expect(shown?.form).toEqual({
      mode: "form",
      message: "Which?",
      toolCallId: "i1",
      requestedSchema: {
        type: "object",
        properties: {
          colour: { type: "string", title: "Colour", description: "Which?", oneOf: CHOICES },
          colour_other: { type: "string", title: "Colour: another answer" },
        },
      },
    });
    expect(shown?.answer(accept({ colour: "Red", colour_other: "or pink", unknown: "x" }))).toEqual({
      answers: { colour: { answers: ["Red", "or pink"] } },
    });
    expect(shown?.answer(DECLINED)).toEqual({ answers: { colour: { answers: [] } } });
    const written = ask({ options: null, isOther: false });
    expect(written?.form.requestedSchema).toEqual({
      type: "object",
      properties: { colour: { type: "string", title: "Colour", description: "Which?" } },
    });
    expect(written?.form).not.toHaveProperty("toolCallId");
  });

  test("shows no form of a secret, of no question, and of a mode that only its own clients have", () => {
    expect(ask({ isSecret: true })).toBe(null);
    expect(formOf("item/tool/requestUserInput", { questions: [] })).toBe(null);
    expect(server({ mode: "openai/userVerification", title: "x", challenge: "y" })).toBe(null);
    expect(formOf("item/commandExecution/requestApproval", {})).toBe(null);
  });
});

describe("Claude Code", () => {
  test("passes the form or the page of an MCP server on with the server's name", () => {
    const asked = { subtype: "elicitation", mcp_server_name: "forms", message: "Where?" };
    const shown = claude.toFormRequest({ ...asked, mode: "form", requested_schema: SCHEMA });
    expect(shown?.form).toEqual({ mode: "form", message: "forms: Where?", requestedSchema: SCHEMA });
    expect([accept({ place: "here" }), DECLINED, CANCELLED].map((one) => shown?.answer(one))).toEqual([
      { action: "accept", content: { place: "here" } },
      { action: "decline" },
      { action: "cancel" },
    ]);
    const page = claude.toFormRequest({
      ...asked,
      mode: "url",
      url: "https://example.org",
      elicitation_id: "e1",
    });
    expect(page?.form).toMatchObject({ mode: "url", url: "https://example.org", elicitationId: "e1" });
    expect(page?.answer(accept({}))).toEqual({ action: "accept" });
  });

  test("makes a form of its questions, and the answers go into the input of the call by the question's text", () => {
    const input = {
      questions: [
        { question: "Which?", header: "Colour", multiSelect: false, options: OPTIONS },
        { question: "Which others?", header: "Others", multiSelect: true, options: OPTIONS },
        { question: "Why?", header: "Reason", kind: "text" },
      ],
    };
    const asked = { subtype: "can_use_tool", tool_name: "AskUserQuestion", tool_use_id: "t1", input };
    const shown = claude.toFormRequest(asked);
    expect(shown?.form).toMatchObject({
      mode: "form",
      message: "Which?\nWhich others?\nWhy?",
      toolCallId: "t1",
    });
    expect(shown?.form.requestedSchema).toEqual({
      type: "object",
      properties: {
        question_1: { type: "string", title: "Colour", description: "Which?", oneOf: CHOICES },
        question_1_other: { type: "string", title: "Colour: another answer" },
        question_2: {
          type: "array",
          title: "Others",
          description: "Which others?",
          items: { anyOf: CHOICES },
        },
        question_2_other: { type: "string", title: "Others: another answer" },
        question_3: { type: "string", title: "Reason", description: "Why?" },
      },
    });
    const content = { question_1_other: "Pink", question_2: ["Red", "Blue"], question_3: "" };
    expect(shown?.answer(accept(content))).toEqual({
      behavior: "allow",
      updatedInput: { ...input, answers: { "Which?": "Pink", "Which others?": "Red, Blue" } },
    });
    const message = "The person did not answer the questions.";
    expect(shown?.answer(DECLINED)).toEqual({ behavior: "deny", message });
    expect(shown?.answer(CANCELLED)).toEqual({ behavior: "deny", message });
  });

  test("makes no form of a call of another tool, and of another request", () => {
    expect(claude.toFormRequest({ subtype: "can_use_tool", tool_name: "Bash", input: {} })).toBe(null);
    expect(claude.toFormRequest({ subtype: "can_use_tool", tool_name: "AskUserQuestion", input: {} })).toBe(
      null,
    );
    expect(claude.toFormRequest({ subtype: "hook_callback" })).toBe(null);
  });
});

describe("pi", () => {
  test("makes a form of one text, which goes back as its value, or cancels the dialog", () => {
    const input = toTextDialog({ method: "input", id: "1", title: "Where?", placeholder: "a place" });
    expect(input?.form).toEqual({
      mode: "form",
      message: "Where?",
      requestedSchema: {
        type: "object",
        properties: { value: { type: "string", title: "Where?", description: "a place" } },
      },
    });
    expect(
      [accept({ value: "here" }), accept({}), DECLINED, CANCELLED].map((one) => input?.answer(one)),
    ).toEqual([{ value: "here" }, { value: "" }, { cancelled: true }, { cancelled: true }]);
    const editor = toTextDialog({ method: "editor", id: "2", title: "Notes", prefill: "as before" });
    expect(editor?.form.requestedSchema).toMatchObject({ properties: { value: { default: "as before" } } });
    for (const method of ["select", "confirm", "notify"])
      expect(toTextDialog({ method, id: "3" })).toBe(null);
  });
});
