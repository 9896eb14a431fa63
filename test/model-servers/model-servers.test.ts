import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asObject, type ModelServer, type Script, startModelServer, text, thinking, tool } from "./index.ts";

const SCRIPT: Script = {
  summary: "They mended the parser.",
  title: "Mend the parser",
  turns: [
    {
      user: "Read both files.",
      answers: [
        [thinking("Two files."), tool("read", { path: "/a" }), tool("read", { path: "/b" })],
        [text("Both read.")],
      ],
    },
  ],
};

const READ = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const ANTHROPIC_TOOLS = [{ name: "read", input_schema: READ }];
const OPENAI_TOOLS = [{ type: "function", name: "read", parameters: READ }];
const CHAT_TOOLS = [{ type: "function", function: { name: "read", parameters: READ } }];
const GEMINI_TOOLS = [{ functionDeclarations: [{ name: "read", parametersJsonSchema: READ }] }];

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(SCRIPT);
});
afterAll(() => server.close());

async function post(path: string, body: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(server.url + path, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

/** The data of every server-sent event. */
function eventsIn(stream: string): readonly unknown[] {
  const lines = stream.split(/\r?\n/).filter((line) => line.startsWith("data: ") && line !== "data: [DONE]");
  return lines.map((line) => JSON.parse(line.slice(6)));
}

describe("Anthropic Messages", () => {
  const ask = (messages: readonly unknown[], rest = {}) =>
    post("/v1/messages", { model: "m", messages, tools: ANTHROPIC_TOOLS, ...rest });
  const user = (content: unknown) => ({ role: "user", content });

  test("plays a script: thinking and parallel calls, then the text", async () => {
    const first = JSON.parse((await ask([user("Read both files.")])).text);
    expect(first.content).toMatchObject([
      { type: "thinking", thinking: "Two files." },
      { type: "tool_use", name: "read", input: { path: "/a" } },
      { type: "tool_use", name: "read", input: { path: "/b" } },
    ]);
    expect(first.stop_reason).toBe("tool_use");
    const results = first.content
      .slice(1)
      .map((call: { id: string }) => ({ type: "tool_result", tool_use_id: call.id, content: "x" }));
    const second = await ask([
      user("Read both files."),
      { role: "assistant", content: first.content },
      user([...results, { type: "text", text: "<system-reminder>Be kind.</system-reminder>" }]),
    ]);
    expect(JSON.parse(second.text)).toMatchObject({
      content: [{ type: "text", text: "Both read." }],
      stop_reason: "end_turn",
    });
  });

  test("streams what it would send whole", async () => {
    const words =
      "a text that is longer than one piece of a stream [[text:four and twenty letters, and more]]";
    const events = eventsIn((await ask([user(words)], { stream: true })).text).map(asObject);
    const deltas = events.filter((event) => event.type === "content_block_delta");
    expect(deltas.map((event) => asObject(event.delta).text).join("")).toBe(
      "four and twenty letters, and more",
    );
    expect(events.at(-1)).toEqual({ type: "message_stop" });
  });

  test.each([
    ["a call without its result", [user("hi"), callOf("toolu_1"), user("and?")], /without tool_result/],
    ["a result without its call", [user([resultOf("toolu_1")])], /without tool_use/],
    ["a bad id", [user("hi"), callOf("call|1"), user([resultOf("call|1")])], /must match/],
    ["a foreign signature", [user("hi"), thoughtOf("foreign"), user("and?")], /Invalid `signature`/],
    ["blank text", [user("hi"), user([{ type: "text", text: " " }])], /blank/],
    ["an assistant at the start", [callOf("toolu_1"), user([resultOf("toolu_1")])], /first message/],
  ])("refuses %s", async (_name, messages, sentence) => {
    const answer = await ask(messages);
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(sentence);
  });

  test("answers a request for a summary, and one for a title", async () => {
    const summary = await ask([user("Sum up in <analysis> and <summary>.")]);
    expect(JSON.parse(summary.text).content).toEqual([
      { type: "text", text: expect.stringMatching(/<summary>\nThey mended the parser\.\n<\/summary>$/) },
    ]);
    const schema = { type: "object", properties: { title: { type: "string" } } };
    const title = await ask([user("hi")], { output_config: { format: { type: "json_schema", schema } } });
    expect(JSON.parse(JSON.parse(title.text).content[0].text)).toEqual({ title: "Mend the parser" });
  });
});

describe("OpenAI Responses", () => {
  const ask = (input: readonly unknown[], rest = {}) =>
    post("/v1/responses", { model: "m", input, tools: OPENAI_TOOLS, stream: true, ...rest });
  const user = (words: string) => ({
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: words }],
  });
  const outputOf = (stream: string) => {
    const completed = eventsIn(stream).map(asObject).at(-1);
    return asObject(completed?.response).output as readonly Record<string, unknown>[];
  };

  test("plays a script: reasoning and parallel calls, then the text", async () => {
    const first = outputOf((await ask([user("Read both files.")])).text);
    expect(first).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Two files." }] },
      { type: "function_call", name: "read", arguments: '{"path":"/a"}' },
      { type: "function_call", name: "read", arguments: '{"path":"/b"}' },
    ]);
    const outputs = first
      .slice(1)
      .map(({ call_id }) => ({ type: "function_call_output", call_id, output: "x" }));
    const second = outputOf((await ask([user("Read both files."), ...first, ...outputs])).text);
    expect(second).toMatchObject([{ type: "message", content: [{ text: "Both read." }] }]);
  });

  test("skips what the agent says in the person's name", async () => {
    const added = user("<environment_context>cwd</environment_context>");
    const output = outputOf((await ask([user("Hello [[text:good day]]"), added])).text);
    expect(output).toMatchObject([{ content: [{ text: "good day" }] }]);
  });

  test("compacts where the input ends in a trigger", async () => {
    const output = outputOf((await ask([user("hi"), { type: "compaction_trigger" }])).text);
    const encrypted_content = Buffer.from("They mended the parser.").toString("base64");
    expect(output).toEqual([{ type: "compaction", id: expect.any(String), encrypted_content }]);
  });

  test("refuses a call without output", async () => {
    const call = { type: "function_call", call_id: "c1", name: "read", arguments: "{}" };
    expect(await ask([user("hi"), call])).toMatchObject({ status: 400 });
  });

  test("an error, by marker", async () => {
    const answer = await ask([user("Trouble ahead. [[error:429 too fast]]")]);
    expect(answer).toEqual({ status: 429, text: expect.stringContaining("too fast") });
  });
});

describe("OpenAI Chat Completions", () => {
  test("plays a script, streamed and whole", async () => {
    const messages = [{ role: "user", content: "Read both files." }];
    const body = { model: "m", messages, tools: CHAT_TOOLS };
    const whole = JSON.parse((await post("/v1/chat/completions", body)).text).choices[0];
    expect(whole).toMatchObject({
      finish_reason: "tool_calls",
      message: { reasoning_content: "Two files.", tool_calls: [{ type: "function" }, { type: "function" }] },
    });
    const stream = (await post("/v1/chat/completions", { ...body, stream: true })).text;
    expect(stream).toMatch(/"arguments":"\{\\"path\\":\\"\/b\\"\}"[\s\S]*\[DONE\]/);
    const calls = whole.message.tool_calls.map((call: { id: string }) => call.id);
    const results = calls.map((id: string) => ({ role: "tool", tool_call_id: id, content: "x" }));
    const next = { ...body, messages: [...messages, whole.message, ...results] };
    const last = JSON.parse((await post("/v1/chat/completions", next)).text).choices[0];
    expect(last).toMatchObject({ finish_reason: "stop", message: { content: "Both read." } });
  });
});

describe("Gemini", () => {
  test("plays a script, also after a session context", async () => {
    const words = [{ text: "<session_context>today</session_context>" }, { text: "Read both files." }];
    const contents = [{ role: "user", parts: words }];
    const path = "/v1beta/models/gemini-x:streamGenerateContent";
    const first = eventsIn((await post(path, { contents, tools: GEMINI_TOOLS })).text) as {
      candidates: { content: { parts: Record<string, unknown>[] } }[];
    }[];
    const parts = first.flatMap((event) => event.candidates.flatMap(({ content }) => content.parts));
    expect(parts).toMatchObject([
      { thought: true, text: "**Thinking** Two files." },
      { functionCall: { name: "read", args: { path: "/a" } } },
      { functionCall: { name: "read", args: { path: "/b" } } },
      { text: "" },
    ]);
    const answered = [0, 1].map(() => ({ functionResponse: { name: "read", response: { output: "x" } } }));
    const next = [
      ...contents,
      { role: "model", parts: parts.slice(1, 3) },
      { role: "user", parts: answered },
    ];
    const second = await post("/v1beta/models/gemini-x:generateContent", {
      contents: next,
      tools: GEMINI_TOOLS,
    });
    expect(JSON.parse(second.text).candidates[0].content.parts).toEqual([{ text: "Both read." }]);
  });
});

describe("the script", () => {
  test("plain arguments fill the required properties in order; markers nest; a tool must be offered", async () => {
    const ask = async (words: string) => {
      const messages = [{ role: "user", content: words }];
      return JSON.parse((await post("/v1/messages", { messages, tools: ANTHROPIC_TOOLS })).text).content;
    };
    expect(await ask("[[tool:read /x|y]]")).toMatchObject([{ input: { path: "/x|y" } }]);
    expect(await ask('[[tool:read {"path":"[[text:a]]"}]]')).toMatchObject([
      { input: { path: "[[text:a]]" } },
    ]);
    expect(await ask("[[tool:fly south]]")).toEqual([
      { type: "text", text: "The tool fly is not offered, only read." },
    ]);
    expect(await ask("Nobody planned this.")).toEqual([{ type: "text", text: "echo: Nobody planned this." }]);
  });

  test("the log has the questions and answers, and is the same over HTTP", async () => {
    await fetch(`${server.url}/__log`, { method: "DELETE" });
    await post("/v1/messages", { messages: [{ role: "user", content: "Log me." }], tools: ANTHROPIC_TOOLS });
    await post("/v1/messages/count_tokens", { messages: [] });
    await post("/nowhere", {});
    expect(server.requests.map(({ protocol, kind, path }) => [protocol, kind, path])).toEqual([
      ["anthropic", "answer", "/v1/messages"],
      ["anthropic", "side", "/v1/messages/count_tokens"],
      [null, "unknown", "/nowhere"],
    ]);
    expect(server.conversation()).toHaveLength(1);
    const log = await (await fetch(`${server.url}/__log`)).json();
    expect(log).toEqual(JSON.parse(JSON.stringify(server.requests)));
  });
});

function callOf(id: string): unknown {
  return { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] };
}

function resultOf(id: string): unknown {
  return { type: "tool_result", tool_use_id: id, content: "x" };
}

function thoughtOf(signature: string): unknown {
  return {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", signature },
      { type: "text", text: "well" },
    ],
  };
}
