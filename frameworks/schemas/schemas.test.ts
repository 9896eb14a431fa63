/**
 * Schemas of zod, valibot and arktype: for events of a program, and for the answer of a model. The libraries are installed
 * here, so that neither users nor contributors install them.
 */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { afterEach, describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  type AgentDefinition,
  type Continuo,
  defineAgent,
  defineEvent,
  openContinuo,
  type StandardSchema,
} from "../../packages/server/src/runtime/index.ts";
import { startModelServer, text } from "../../test/model-servers/index.ts";

let c: Continuo;
afterEach(() => c?.close());

interface Order {
  order: number;
  tags: string[];
}

/** The same form in each library; a text of digits becomes a number in the output. */
const ORDERS: Readonly<Record<string, StandardSchema<unknown, Order>>> = {
  zod: z.object({ order: z.coerce.number().int(), tags: z.array(z.string()) }),
  valibot: v.object({
    order: v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.integer()),
    tags: v.array(v.string()),
  }),
  arktype: type({ order: "number.integer | string.integer.parse", tags: "string[]" }),
};

test.each(Object.entries(ORDERS))(
  "an event with a schema of %s is checked, and stored as its output",
  async (_, schema) => {
    const placed = defineEvent("order.placed", schema);
    c = await openContinuo("memory:");
    const session = c.session("s", { create: true });
    const stored = await session.append(placed, { order: "7" as never, tags: ["new"] });
    expect(stored.data).toEqual({ order: 7, tags: ["new"] });
    for (const wrong of [{ order: 7.5, tags: [] }, { order: 7 }, "7", null]) {
      await expect(session.append(placed, wrong as never)).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringMatching(/^the data of order\.placed do not fit its schema: \S/u),
      });
    }
    const renamed = defineEvent("order.placed", schema, {
      version: 2,
      upcasters: { 1: (data: Order) => ({ ...data, tags: [...data.tags, "old"] }) },
    });
    expect((await renamed.read(stored))?.data).toEqual({ order: 7, tags: ["new", "old"] });
  },
);

test("each library gives the data of an event their type", () => {
  const checked = defineEvent("order.placed", z.object({ order: z.number() }));
  const read = defineEvent("order.placed", v.object({ order: v.pipe(v.string(), v.transform(Number)) }));
  const typed = defineEvent("order.placed", type({ order: "number" }));
  expectTypeOf(checked.parse).returns.resolves.toEqualTypeOf<{ order: number }>();
  expectTypeOf(read.parse).returns.resolves.toEqualTypeOf<{ order: number }>();
  expectTypeOf(typed.parse).returns.resolves.toEqualTypeOf<{ order: number }>();
});

describe("the output of an agent", () => {
  const modelOf = (url: string, supportsStructuredOutputs = false) =>
    createOpenAICompatible({ name: "fake", baseURL: `${url}/v1`, supportsStructuredOutputs })("fake-1");
  const OUTPUTS = {
    zod: z.object({ mood: z.string() }),
    arktype: type({ mood: "string" }),
    valibot: toStandardJsonSchema(v.object({ mood: v.string() })),
  };

  test.each(Object.entries(OUTPUTS))(
    "with a schema of %s is the checked value of the run, and another answer fails the run",
    async (_, output) => {
      await using server = await startModelServer({
        turns: [
          { user: "glad", answers: [[text('{"mood":"glad"}')]] },
          { user: "sad", answers: [[text('{"mood":7}')]] },
        ],
      });
      const reader = defineAgent({ name: "reader", model: modelOf(server.url), output });
      c = await openContinuo("memory:", { agents: [reader] });
      const session = c.session("s", { create: true });
      const glad = await session.send("glad", { agent: reader }).result();
      expect(glad).toMatchObject({ status: "completed", value: { mood: "glad" } });
      const sad = await session.send("sad", { agent: reader }).result();
      expect(sad).toMatchObject({ status: "failed", error: { code: "agent_failed" } });
    },
  );

  test.each(Object.entries(OUTPUTS))(
    "with a schema of %s goes to the model as JSON Schema",
    async (_, output) => {
      await using server = await startModelServer({
        turns: [{ user: "glad", answers: [[text('{"mood":"glad"}')]] }],
      });
      const reader = defineAgent({ name: "reader", model: modelOf(server.url, true), output });
      c = await openContinuo("memory:", { agents: [reader] });
      await c.session("s", { create: true }).send("glad", { agent: reader }).result();
      expect(server.requests[0]?.body).toMatchObject({
        response_format: {
          json_schema: { schema: { properties: { mood: { type: "string" } }, required: ["mood"] } },
        },
      });
    },
  );

  test("has the type of the schema of each library", () => {
    const model = modelOf("http://127.0.0.1:9");
    const typed = defineAgent({ name: "a", model, output: type({ mood: "string" }) });
    const made = defineAgent({
      name: "b",
      model,
      output: toStandardJsonSchema(v.object({ mood: v.string() })),
    });
    expectTypeOf(typed).toEqualTypeOf<AgentDefinition<{ mood: string }>>();
    expectTypeOf(made).toEqualTypeOf<AgentDefinition<{ mood: string }>>();
  });

  test("that cannot become JSON Schema is refused when the agent is defined, with the way to make it one", () => {
    const define = () =>
      defineAgent({
        name: "reader",
        model: modelOf("http://127.0.0.1:9"),
        output: v.object({ mood: v.string() }),
      });
    expect(define).toThrow('cannot make JSON Schema of the output of the agent "reader"');
    expect(define).toThrow(
      expect.objectContaining({ code: "usage", hint: expect.stringContaining("toStandardJsonSchema") }),
    );
  });
});
