/** States of pi's sessions in which its model receives less, or more, than the conversation. */

import { text, tool } from "../../test/model-servers/index.ts";
import { type PiCase, SESSION } from "./pi-stage.ts";
import { addWorktree } from "./project.ts";

export const PI_STATES: readonly PiCase[] = [
  {
    name: "shell-kept-back",
    shows:
      "Shell commands of the person: one for the model, and two that are kept from it, one of them last.",
    made: "`bash` of the RPC protocol, as `!` and `!!` do it",
    script: {
      turns: [
        { user: "Which teas do we sell?", answers: [[text("Green, black and white.")]] },
        { user: "And herbs?", answers: [[text("None yet.")]] },
      ],
    },
    async hold({ pi }) {
      await using talk = pi.talk({ sessionId: SESSION });
      await talk.say("Which teas do we sell?");
      await talk.request("bash", { command: "ls" });
      await talk.request("bash", { command: "cat timer.js", excludeFromContext: true });
      await talk.say("And herbs?");
      await talk.request("bash", { command: "echo a secret", excludeFromContext: true });
      return await talk.sessionFile();
    },
  },
  {
    name: "aborted-last",
    shows: "The person interrupted the last answer, after a tool had run.",
    made: "`abort` of the RPC protocol while the model was silent",
    script: {
      turns: [
        { user: "Name the timer.", answers: [[text("How about `steep`?")]] },
        { user: "Look again.", answers: [[tool("read", { path: "timer.js" })], [{ type: "hang" }]] },
      ],
    },
    async hold({ pi, server }) {
      await using talk = pi.talk({ sessionId: SESSION });
      await talk.say("Name the timer.");
      const said = talk.say("Look again.");
      // The third request is the one that the model never answers.
      while (server.conversation().length < 3) await new Promise((look) => setTimeout(look, 20));
      await talk.request("abort");
      await said;
      return await talk.sessionFile();
    },
  },
  {
    name: "queued",
    shows:
      "The person sent two prompts while a tool ran: one steers the turn, and one waits until the turn ends.",
    made: "`steer` and `follow_up` of the RPC protocol during a tool call",
    script: {
      turns: [
        {
          user: "Run the tests.",
          answers: [[tool("bash", { command: "until test -e report; do sleep 0.1; done" })]],
        },
        { user: "Without a log, please.", answers: [[text("They pass, and I wrote no log.")]] },
        { user: "And then tidy up.", answers: [[text("It is tidy.")]] },
      ],
    },
    async hold({ pi, sandbox, server }) {
      await using talk = pi.talk({ sessionId: SESSION });
      const said = talk.say("Run the tests.");
      while (server.conversation().length < 1) await new Promise((look) => setTimeout(look, 20));
      await talk.request("steer", { message: "Without a log, please." });
      await talk.request("follow_up", { message: "And then tidy up." });
      await sandbox.write("project/report", "all pass");
      await said;
      return await talk.sessionFile();
    },
  },
  {
    name: "skills",
    shows: "A skill that the person calls, and a prompt template, which stands for a longer prompt.",
    made: "`/skill:brew` and `/steep` in `prompt`, with `.pi/skills` and `.pi/prompts` in the home",
    withSkills: true,
    script: {
      turns: [
        { user: "Boil the water first.", answers: [[text("The water comes first.")]] },
        { user: "Steep green for two minutes.", answers: [[text("It steeps.")]] },
      ],
    },
    async hold({ pi, sandbox }) {
      const described = "---\nname: brew\ndescription: How to brew tea\n---\n";
      await sandbox.write(".pi/agent/skills/brew/SKILL.md", `${described}Boil the water first.\n`);
      await sandbox.write(".pi/agent/prompts/steep.md", "Steep $1 for two minutes.\n");
      await using talk = pi.talk({ sessionId: SESSION });
      for (const words of ["/skill:brew twice", "/steep green"]) await talk.say(words);
      return await talk.sessionFile();
    },
  },
  {
    name: "worktree",
    shows: "A session in a linked worktree of a repository.",
    made: "`git worktree add`, and pi in it",
    script: { turns: [{ user: "Name the timer.", answers: [[text("How about `steep`?")]] }] },
    async hold({ pi, sandbox }) {
      await using talk = pi.talk({ sessionId: SESSION, cwd: addWorktree(sandbox) });
      await talk.say("Name the timer.");
      return await talk.sessionFile();
    },
  },
];
