/** The recorded conversations with pi: what was said, and what each case shows. */

import { entryIdsIn } from "../../test/agents/pi/driver.ts";
import { PICTURE } from "../../test/agents/picture.ts";
import { type Script, text, thinking, tool } from "../../test/model-servers/index.ts";
import type { NativeCase } from "./case.ts";
import { type PiCase, SESSION, talkAnew, withPi } from "./pi-stage.ts";
import { PI_STATES } from "./pi-states.ts";

const THREE_TURNS: Script = {
  summary: "They left the shorter name.",
  turns: [
    { user: "Name the timer.", answers: [[thinking("A short name."), text("How about `steep`?")]] },
    { user: "Something shorter?", answers: [[text("`brew`, then.")]] },
    { user: "Take it.", answers: [[text("`brew` it is.")]] },
    { user: "I like steep. Keep it.", answers: [[text("`steep` it is.")]] },
    { user: "Or the longest one?", answers: [[text("`steeping-timer`.")]] },
  ],
};

const CASES: readonly PiCase[] = [
  {
    name: "text-and-thinking",
    shows: "Two turns, the second in a process of its own; the first answer with thinking.",
    made: "`pi --mode rpc --session-id ID`, then `pi --mode rpc --session FILE`",
    script: THREE_TURNS,
    async hold({ pi }) {
      const file = await talkAnew(pi, ["Name the timer."]);
      await using talk = pi.talk({ session: file });
      await talk.say("Something shorter?");
      return file;
    },
  },
  {
    name: "parallel-tools",
    shows: "Three calls in one answer, one of them an error; a command that fails; a file that is changed.",
    made: "`prompt`, with the tools read, bash and edit",
    script: {
      turns: [
        {
          user: "Make the timer agree with its test.",
          answers: [
            [
              thinking("I compare both files first."),
              text("I read both and look around."),
              tool("read", { path: "timer.js" }),
              tool("read", { path: "timer.spec.js" }),
              tool("bash", { command: "ls" }),
            ],
            [tool("read", { path: "timer.test.js" }), tool("bash", { command: "echo no >&2; exit 3" })],
            [
              tool("edit", {
                path: "timer.js",
                edits: [{ oldText: "seconds: 200", newText: "seconds: 240" }],
              }),
            ],
            [text("Black tea now steeps for 240 seconds.")],
          ],
        },
      ],
    },
    hold: ({ pi }) => talkAnew(pi, ["Make the timer agree with its test."]),
  },
  {
    name: "image",
    shows: "A picture that the person attached, and one that a tool read.",
    made: "`prompt` with `images`, then a call of the tool `read` with a picture",
    script: {
      turns: [
        { user: "Is this the right green?", answers: [[text("It is a light green, close to sencha.")]] },
        {
          user: "Look at the one in the project too.",
          answers: [[tool("read", { path: "leaf.png" })], [text("The same green.")]],
        },
      ],
    },
    async hold({ pi }) {
      await using talk = pi.talk({ sessionId: SESSION });
      await talk.say("Is this the right green?", [{ mimeType: "image/png", data: PICTURE }]);
      await talk.say("Look at the one in the project too.");
      return await talk.sessionFile();
    },
  },
  {
    name: "branch",
    shows:
      "Three turns; then the person went back twice, the second time with a summary and a label: three branches.",
    made: "`ctx.navigateTree` of an extension, with `summarize` the second time, and `pi.setLabel`",
    script: THREE_TURNS,
    async hold({ pi }) {
      await using talk = pi.talk({ sessionId: SESSION });
      for (const words of ["Name the timer.", "Something shorter?", "Take it."]) await talk.say(words);
      const file = await talk.sessionFile();
      const ids = await entryIdsIn(file);
      const to = ids.get("How about `steep`?") ?? "";
      await talk.extension("label", { on: to, label: "first name" });
      await talk.extension("go", { to });
      await talk.say("I like steep. Keep it.");
      await talk.extension("go", { to, summarize: true });
      await talk.say("Or the longest one?");
      return file;
    },
  },
  {
    name: "fork",
    shows:
      "A session and its fork behind the first answer: a second file with copies of the entries, under the same ids.",
    made: "`fork` of the RPC protocol, on the second message",
    script: THREE_TURNS,
    async hold({ pi }) {
      await using talk = pi.talk({ sessionId: SESSION });
      for (const words of ["Name the timer.", "Something shorter?"]) await talk.say(words);
      const ids = await entryIdsIn(await talk.sessionFile());
      await talk.request("fork", { entryId: ids.get("Something shorter?") ?? "" });
      await talk.say("I like steep. Keep it.");
      return await talk.sessionFile();
    },
  },
  {
    name: "compaction",
    shows: "Three turns, a compaction that keeps the last of them, a turn, a second compaction, and a turn.",
    made: "`compact` of the RPC protocol, twice",
    script: {
      summary: "They agreed on 240 seconds for black tea.",
      turns: [
        {
          user: "What does the timer say for black tea?",
          answers: [[tool("read", { path: "timer.js" })], [text("200 seconds.")]],
        },
        { user: "It should be four minutes.", answers: [[text("Then 240 seconds.")]] },
        {
          user: "And white tea?",
          answers: [[text("White tea steeps for five minutes, which is what the timer says already.")]],
        },
        { user: "What did we agree on?", answers: [[text("240 seconds for black tea.")]] },
        { user: "Good.", answers: [[text("Anything else?")]] },
      ],
    },
    async hold({ pi }) {
      await using talk = pi.talk({ sessionId: SESSION });
      const said = ["What does the timer say for black tea?", "It should be four minutes.", "And white tea?"];
      for (const words of said) await talk.say(words);
      await talk.request("compact");
      await talk.say("What did we agree on?");
      await talk.request("compact");
      await talk.say("Good.");
      return await talk.sessionFile();
    },
  },
  {
    name: "extensions-and-shell",
    shows:
      "A note of an extension and its state, a shell command for the model and one kept from it, an answer edited and one taken out for the model.",
    made: "an extension (`sendMessage`, `appendEntry`, `context_edit`) and `bash` of the RPC protocol",
    script: {
      turns: [
        { user: "Which teas do we sell?", answers: [[text("Green, black and white.")]] },
        { user: "Are you sure?", answers: [[text("Quite sure.")]] },
        { user: "Count them.", answers: [[text("Three.")]] },
      ],
    },
    async hold({ pi }) {
      await using talk = pi.talk({ sessionId: SESSION });
      await talk.say("Which teas do we sell?");
      await talk.extension("note", { text: "The shop is closed on Sundays." });
      await talk.extension("state", { data: { counted: 3 } });
      await talk.request("bash", { command: "cat timer.test.js" });
      await talk.request("bash", { command: "echo kept from the model; exit 2", excludeFromContext: true });
      await talk.say("Are you sure?");
      const ids = await entryIdsIn(await talk.sessionFile());
      const replacement = { content: "Green and black." };
      await talk.extension("edit", { target: ids.get("Green, black and white.") ?? "", replacement });
      await talk.extension("edit", { target: ids.get("Quite sure.") ?? "", replacement: null });
      await talk.say("Count them.");
      return await talk.sessionFile();
    },
  },
  {
    name: "broken-off",
    shows: "An answer that failed, an answer that the person interrupted, and a turn after them.",
    made: "an HTTP error of the model; `abort` of the RPC protocol while the model was silent",
    script: {
      turns: [
        {
          user: "Name the timer.",
          answers: [[{ type: "error", status: 400, message: "The kettle is cold." }]],
        },
        { user: "Try again.", answers: [[tool("read", { path: "timer.js" })], [{ type: "hang" }]] },
        { user: "Then without reading.", answers: [[text("How about `steep`?")]] },
      ],
    },
    async hold({ pi, server }) {
      await using talk = pi.talk({ sessionId: SESSION });
      await talk.say("Name the timer.");
      const said = talk.say("Try again.");
      // The third request is the one that the model never answers.
      while (server.conversation().length < 3) await new Promise((look) => setTimeout(look, 20));
      await talk.request("abort");
      await said;
      await talk.say("Then without reading.");
      return await talk.sessionFile();
    },
  },
  {
    name: "killed",
    shows: "pi was killed while a tool ran: a call without a result at the end.",
    made: "`prompt`, and SIGKILL during the tool bash",
    script: {
      turns: [
        {
          user: "Run the tests.",
          answers: [[thinking("They take a while."), tool("bash", { command: "sleep 60" })]],
        },
      ],
    },
    async hold({ pi }) {
      await using talk = pi.talk({ sessionId: SESSION });
      const file = await talk.sessionFile();
      await talk.sayInVain("Run the tests.");
      return file;
    },
  },
  {
    name: "other-model",
    shows:
      "A name, a second model and another thinking level: thinking of the first model is not sent to the second.",
    made: "`set_session_name`, `set_model` and `set_thinking_level` of the RPC protocol",
    script: THREE_TURNS,
    async hold({ pi }) {
      await using talk = pi.talk({ sessionId: SESSION });
      await talk.say("Name the timer.");
      await talk.request("set_session_name", { name: "A name" });
      await talk.request("set_model", { provider: "scripted", modelId: "scripted-2" });
      await talk.request("set_thinking_level", { level: "high" });
      await talk.request("set_session_name", { name: "A name for the timer" });
      await talk.say("Something shorter?");
      return await talk.sessionFile();
    },
  },
];

export const piCases: readonly NativeCase[] = [...CASES, ...PI_STATES].map((one) => ({
  agent: "pi",
  name: one.name,
  shows: one.shows,
  made: one.made,
  hold: (lastWords, keep) =>
    withPi(
      one.script,
      async ({ sandbox, server, pi }) => {
        const session = await one.hold({ sandbox, server, pi });
        await keep.home(sandbox, pi.home);
        await using talk = pi.talk({ session });
        await talk.say(lastWords);
        const request = server.conversation().at(-1);
        if (request === undefined) throw new Error("no request was sent");
        const { sessionId } = await talk.request("get_state");
        await keep.request(sandbox, String(sessionId), request);
      },
      one,
    ),
}));
