/** The promises of `src/cli/`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const CLI: readonly PromiseOfRoom[] = [
  {
    promise: "A process of another time zone is not answered for.",
    file: "src/cli/running/places.ts",
    text: "env.TZ ?? null",
    mistake: "null",
    test: "test/cli/running.test.ts",
  },
  {
    promise: "A list of an agent of the configuration is not answered.",
    file: "src/cli/running/remote-commands.ts",
    text: "return AGENTS.has(word.toLowerCase());",
    mistake: 'return !word.startsWith("-");',
    test: "src/cli/running/remote-commands.test.ts",
  },
  {
    promise: "A running process answers only lists and searches.",
    file: "src/cli/running/command-server.ts",
    text: " && isAnswered(request.argv);",
    mistake: ";",
    test: "test/cli/running.test.ts",
  },
  {
    promise: "A command that was taken and not answered is not asked again.",
    file: "src/cli/running/command-client.ts",
    text: 'if (outcome === "none") return null;',
    mistake: 'if (outcome === "none") continue;',
    test: "test/cli/running.test.ts",
  },
  {
    promise: "The value of a flag is not taken from the next word twice.",
    file: "src/cli/running/remote-commands.ts",
    text: 'if (kind === "with a value" && value === undefined) at += 1;',
    mistake: 'if (kind === "with a value") at += 1;',
    test: "src/cli/running/remote-commands.test.ts",
  },
  {
    promise: "The numbers of a list belong to the terminal that asked.",
    file: "src/cli/running/command-server.ts",
    text: "const { env, home, cwd, startedBy } = request;",
    mistake: "const { env, home, cwd } = request;\n  const { startedBy } = shell;",
    test: "test/cli/running.test.ts",
  },
  {
    promise: "The parts of an answer keep their order.",
    file: "src/cli/running/command-server.ts",
    text: "if (size <= RUNNING_LIMITS.answerBytes) parts.push([name, chunk]);",
    mistake: "if (size <= RUNNING_LIMITS.answerBytes) parts.unshift([name, chunk]);",
    test: "test/cli/running.test.ts",
  },
  {
    promise: "A process of another build answers no command.",
    file: "src/cli/running/command-server.ts",
    text: "request.program === program && ",
    mistake: "",
    test: "test/cli/running.test.ts",
  },
  {
    promise: "Sockets in the folder of another user are not asked.",
    file: "src/cli/running/places.ts",
    text: "    own.uid === user &&\n",
    mistake: "",
    test: "test/cli/running.test.ts",
  },
  {
    promise: "Sockets in a folder that others may enter are not asked.",
    file: "src/cli/running/places.ts",
    text: "    (own.mode & OTHERS) === 0 &&\n",
    mistake: "",
    test: "test/cli/running.test.ts",
  },
];
