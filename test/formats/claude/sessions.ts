/** Generated session files of Claude Code: plausible ones with unusual records in them. */

import fc from "fast-check";

export interface GeneratedSession {
  readonly sessionId: string;
  readonly bytes: Buffer;
  /** Makes a failing run report the start of each line. */
  readonly [fc.toStringMethod]: () => string;
}

const SESSION_ID = "5e551011-0000-4000-8000-000000000001";

type Line = Record<string, unknown> | string;

/** Writes one step of a session; `n` makes its ids. */
type LineStep = (
  n: number,
  parent: string | null,
) => { readonly lines: readonly Line[]; readonly tip: string | null };

const words = fc.oneof(
  fc.constantFrom(
    "fix the build",
    "why?",
    "  ",
    "<command-name>/clear</command-name>",
    "[Image: source: /a.png]",
  ),
  fc.constantFrom(
    "<system-reminder>\nx\n</system-reminder>",
    'say "custom-title" and "summary"',
    "ä😀\ud800",
  ),
  fc.string(),
  fc.integer({ min: 1, max: 90_000 }).map((length) => "long ".repeat(length / 5)),
);

const uuid = (n: number, at = 0): string =>
  `${n.toString(16).padStart(8, "0")}-${at.toString(16).padStart(4, "0")}-4000-8000-000000000000`;

const field = <T>(key: string, value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc
    .option(value, { nil: undefined })
    .map((some) => (some === undefined ? {} : { [key]: some })) as fc.Arbitrary<Record<string, T>>;

const common = fc
  .tuple(
    field(
      "timestamp",
      fc.oneof(
        fc.constant("no time"),
        fc.date({ noInvalidDate: true, min: new Date(0) }).map((date) => date.toISOString()),
      ),
    ),
    field("cwd", fc.constantFrom("/home/dev/a", "/home/dev/b", "")),
    field("gitBranch", fc.constantFrom("main", "", "HEAD", "topic")),
    fc.constantFrom({}, {}, { isSidechain: true }, { isSidechain: false }),
  )
  .map((fields): Record<string, unknown> => ({ sessionId: SESSION_ID, ...Object.assign({}, ...fields) }));

const prompt: fc.Arbitrary<LineStep> = fc
  .tuple(
    common,
    words,
    fc.constantFrom(
      {},
      {},
      {},
      { isMeta: true },
      { isCompactSummary: true },
      { origin: { kind: "task-notification" } },
    ),
    fc.boolean(),
  )
  .map(([fields, text, flags, asBlocks]) => (n, parent) => {
    const content = asBlocks ? [{ type: "text", text }] : text;
    return {
      lines: [
        {
          type: "user",
          uuid: uuid(n),
          parentUuid: parent,
          message: { role: "user", content },
          ...fields,
          ...flags,
        },
      ],
      tip: uuid(n),
    };
  });

const turnWithTools: fc.Arbitrary<LineStep> = fc
  .tuple(common, words, fc.integer({ min: 0, max: 3 }))
  .map(([fields, text, calls]) => (n, parent) => {
    const lines: Line[] = [];
    let tip = parent;
    const say = (at: number, block: unknown): void => {
      const message = {
        id: `msg_${n}`,
        role: "assistant",
        model: "m",
        content: [block],
        usage: { input_tokens: 1, output_tokens: 2 },
      };
      lines.push({ type: "assistant", uuid: uuid(n, at), parentUuid: tip, message, ...fields });
      tip = uuid(n, at);
    };
    say(1, { type: "text", text });
    for (let call = 0; call < calls; call++)
      say(2 + call, { type: "tool_use", id: `toolu_${n}_${call}`, name: "Bash", input: {} });
    const last = tip;
    for (let call = calls - 1; call >= 0; call--) {
      const content = [{ type: "tool_result", tool_use_id: `toolu_${n}_${call}`, content: "ok" }];
      tip = uuid(n, 20 + call);
      lines.push({
        type: "user",
        uuid: tip,
        parentUuid: call === calls - 1 ? last : uuid(n, 2 + call),
        message: { role: "user", content },
        ...fields,
      });
    }
    return { lines, tip };
  });

const aside: fc.Arbitrary<LineStep> = fc
  .tuple(common, words, fc.constantFrom("attachment", "system", "weird"))
  .map(([fields, content, type]) => (n, parent) => ({
    lines: [{ type, uuid: uuid(n), parentUuid: parent, content, attachment: { type: "date" }, ...fields }],
    tip: uuid(n),
  }));

const title: fc.Arbitrary<LineStep> = fc
  .tuple(
    fc.constantFrom(["custom-title", "customTitle"], ["ai-title", "aiTitle"], ["summary", "summary"]),
    words,
  )
  .map(([[type = "", key = ""], text]) => (_, parent) => ({
    lines: [{ type, [key]: text, sessionId: SESSION_ID }],
    tip: parent,
  }));

const odd: fc.Arbitrary<LineStep> = fc
  .constantFrom<Line>(
    "{broken",
    "5",
    "null",
    "[]",
    "{}",
    "",
    "   ",
    '{"type":"user"}',
    '{"type":"queue-operation","timestamp":"2026-01-01T00:00:00Z"}',
  )
  .map((line) => (_, parent) => ({ lines: [line], tip: parent }));

const rewind: fc.Arbitrary<LineStep> = fc
  .constantFrom(null, uuid(0), uuid(2), "lost")
  .map((to) => () => ({ lines: [], tip: to }));

const leaf: fc.Arbitrary<LineStep> = fc.constant((_: number, parent: string | null) => ({
  lines: [{ type: "last-prompt", leafUuid: parent, sessionId: SESSION_ID }],
  tip: parent,
}));

export const anySession: fc.Arbitrary<GeneratedSession> = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: prompt },
        { weight: 4, arbitrary: turnWithTools },
        aside,
        title,
        odd,
        rewind,
        leaf,
      ),
      { maxLength: 14 },
    ),
    fc.constantFrom("\n", "\r\n"),
    fc.nat({ max: 60 }),
    fc.constantFrom("", "", "\ufeff"),
  )
  .map(([steps, lineEnd, torn, mark]) => {
    const lines: Line[] = [];
    let tip: string | null = null;
    for (const [n, step] of steps.entries()) {
      const made = step(n, tip);
      lines.push(...made.lines);
      tip = made.tip;
    }
    const text =
      mark + lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)) + lineEnd).join("");
    const bytes = Buffer.from(text, "utf8");
    const kept = torn > 40 ? bytes.subarray(0, Math.max(0, bytes.length - torn)) : bytes;
    return { sessionId: SESSION_ID, bytes: kept, [fc.toStringMethod]: () => shown(kept) };
  });

function shown(bytes: Buffer): string {
  return `\n${bytes
    .toString("utf8")
    .split("\n")
    .map((line) => line.slice(0, 300))
    .join("\n")}`;
}
